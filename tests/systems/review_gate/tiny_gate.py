"""A review gate in a few lines, from the contract alone: what it answers is right, and can be made wrong in one place."""

from handmade_gates import ALL, ANALYSIS, REVIEWERS, reviewer

LIMIT_S = 600.0


class TinyGate:
    """Answers are JSON objects; ``rounds`` holds by task its number, stage, who is missing, findings, launch time."""

    def __init__(self):
        self.last = None
        self.rounds = {}

    def answer(self, op, args, at):
        return getattr(self, op)(args, at)

    def stands(self, task, *, accepted, launch=()):
        number, stage, _, found, _ = self.rounds.get(task, (0, "begun", (), (), 0))
        decision = ("blocked" if found else "passed") if stage == "decided" else "pending"
        said = {"accepted": accepted, "decision": decision, "round": number, "launch": list(launch)}
        return {**said, "issues": list(found) if stage == "decided" else []}

    def begin_task(self, args, at):
        task = args["task"]
        if task != self.last:
            if self.last is not None and self.stands(self.last, accepted=True)["decision"] != "passed":
                return {"begun": False}
            self.last = task
            self.rounds[task] = (self.rounds.get(task, (0,))[0], "begun", (), (), 0)
        return {"begun": True}

    def open(self, args, at):
        task = args["task"]
        if task != self.last or self.rounds[task][1] != "begun":
            return self.stands(task, accepted=False)
        return self.anew(task)

    def fixed(self, args, at):
        if self.stands(args["task"], accepted=True)["decision"] != "blocked":
            return self.stands(args["task"], accepted=False)
        return self.anew(args["task"])

    def anew(self, task):
        self.rounds[task] = (self.rounds[task][0] + 1, "analysis", (), (), 0)
        return self.stands(task, accepted=True, launch=[ANALYSIS])

    def analysed(self, args, at):
        task = args["task"]
        if self.rounds.get(task, (0, ""))[:2] != (args["round"], "analysis"):
            return self.stands(task, accepted=False)
        self.rounds[task] = (args["round"], "reviewing", REVIEWERS, self.blocking(args), at)
        return self.stands(task, accepted=True, launch=ALL)

    def report(self, args, at):
        task = args["task"]
        number, stage, missing, found, since = self.rounds.get(task, (0, "", (), (), 0))
        if (number, stage) != (args["round"], "reviewing") or args["reviewer"] not in missing:
            return self.stands(task, accepted=False)
        left = tuple(name for name in missing if name != args["reviewer"])
        self.rounds[task] = (number, "reviewing" if left else "decided", left, (*found, *self.blocking(args)), since)
        return self.stands(task, accepted=True)

    def status(self, args, at):
        task = args["task"]
        number, stage, missing, found, since = self.rounds.get(task, (0, "begun", (), (), 0))
        if stage == "begun":
            return self.stands(task, accepted=False)
        if stage != "reviewing" or at - since <= LIMIT_S:
            return self.stands(task, accepted=True)
        self.rounds[task] = (number, stage, missing, found, at)
        return self.stands(task, accepted=True, launch=[reviewer(name) for name in missing])

    @staticmethod
    def blocking(args):
        return tuple(each for each in args.get("issues", ()) if each["severity"] != "low")
