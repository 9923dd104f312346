# Calls in, everything that follows from them out. Three lines in: the message, the state as it stands on disk (empty where
# there is none), and why it cannot be used (empty: it can). Four lines out: the answer (empty: none was found), the state to
# be saved (empty: nothing to save), the answer to give when saving fails, the directory that the call chose (empty: none).

def reviewers: ["reviewer-1", "reviewer-2", "reviewer-3"];

# No document gives a limit. An hour is our choice: long enough that nobody is launched twice who only thinks hard.
def overdue_after_s: 3600;

def hello:
  {
    protocolVersion: 1,
    implementation: {name: "review-gate-bash", version: "1.0", language: "bash"},
    systems: {review_gate: {}},
    clock: "virtual"
  };

# --- what a review is ------------------------------------------------------------------------------------------------------

# Epochs in microseconds pass what a double holds exactly; differences of whole seconds and of fractions do not.
def whole_seconds: .[0:19] + "Z" | fromdateiso8601;

def microseconds: .[20:] | rtrimstr("Z") | (. + "000000")[0:6] | tonumber;

def is_moment: type == "string" and test("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$");

def is_overdue($launched; $now):
  (($now | whole_seconds) - ($launched | whole_seconds) - overdue_after_s) * 1000000
  + ($now | microseconds) - ($launched | microseconds) > 0;

def stages: ["begun", "analysing", "reviewing", "ended"];

# Only findings that block are kept: nothing else of them is ever asked for.
def blocking: map(select((.severity | ascii_downcase) != "low"));

def decision:
  if .stage != "ended" then "pending"
  elif (.issues | length) > 0 then "blocked"
  else "passed" end;

def issue_is_sound:
  type == "object" and (.severity | type) == "string" and ((keys - ["message", "severity"]) == [])
  and ((has("message") | not) or (.message | type) == "string");

def issues_are_sound: type == "array" and all(.[]; issue_is_sound);

def is_count: type == "number" and . == floor;

def review_is_sound:
  type == "object" and (.round | is_count) and (.stage | IN(stages[])) and (.issues | issues_are_sound)
  and (.returned | type) == "array" and ((.returned - reviewers) == [])
  and (.stage != "reviewing" or (.launched | is_moment));

def state_is_sound:
  type == "object" and (.reviews | type) == "object" and (.last | type) == "string"
  and (.last as $last | .reviews | has($last)) and all(.reviews[]; review_is_sound);

# --- answers ---------------------------------------------------------------------------------------------------------------

def stands($state; $task):
  ($state.reviews[$task] // {round: 0, stage: "begun", issues: []})
  | {
      accepted: false,
      decision: decision,
      issues: (if decision == "blocked" then .issues else [] end),
      launch: [],
      round: .round,
      log: []
    };

def unchanged($answer): {answer: $answer};

def refused($state; $task; $why):
  unchanged(stands($state; $task) | .log = [{level: "info", code: "not_now", message: $why}]);

def changed($state; $task; $review; $launch):
  ($state | .reviews[$task] = $review) as $after
  | {
      answer: (stands($after; $task) | .accepted = true | .launch = $launch),
      save: $after,
      failed: stands($state; $task)
    };

def trouble_answer($method; $trouble):
  {level: "error", code: "state_unusable", message: $trouble} as $entry
  | if $method == "review_gate/begin_task" then {begun: false, log: [$entry]}
    else stands({}; "") | .log = [$entry] end;

def reviewer_launches: map({kind: "reviewer", name: ., model: "sonnet"});

# --- operations ------------------------------------------------------------------------------------------------------------

# An earlier task that was opened again holds the next one up as well as the last task does, so all of them are asked.
def all_passed: all(.reviews[]?; decision == "passed");

def begin_task($state; $p):
  if $state.last == $p.task then unchanged({begun: true, log: []})
  elif $state | all_passed then
    {
      answer: {begun: true, log: []},
      save: ($state | .last = $p.task
        | .reviews[$p.task] = {round: (.reviews[$p.task].round // 0), stage: "begun", issues: [], returned: []}),
      failed: {begun: false, log: []}
    }
  else unchanged({begun: false, log: [{level: "info", code: "review_open", message: "a review has not passed"}]}) end;

def next_round($state; $p):
  ($state.reviews[$p.task].round + 1) as $round
  | changed($state; $p.task; {round: $round, stage: "analysing", issues: [], returned: []};
      [{kind: "static_analysis", name: "static_analysis", model: null}]);

def open($state; $p):
  $state.reviews[$p.task] as $review
  | if $review == null then refused($state; $p.task; "that task was never begun")
    elif $review.stage == "begun" or ($review | decision) == "passed" then next_round($state; $p)
    else refused($state; $p.task; "its review is under way, or waits for fixes") end;

def fixed($state; $p):
  $state.reviews[$p.task] as $review
  | if $review != null and ($review | decision) == "blocked" then next_round($state; $p)
    else refused($state; $p.task; "nothing of it waits for a fix") end;

def analysed($state; $p):
  $state.reviews[$p.task] as $review
  | if $review.stage == "analysing" and $review.round == $p.round then
      changed($state; $p.task; $review | .stage = "reviewing" | .launched = $p.now | .issues = (($p.issues // []) | blocking);
        reviewers | reviewer_launches)
    else refused($state; $p.task; "static analysis of that round is not awaited") end;

def report($state; $p):
  $state.reviews[$p.task] as $review
  | if $review.stage == "reviewing" and $review.round == $p.round
      and ($p.reviewer | IN((reviewers - $review.returned)[])) then
      changed($state; $p.task;
        $review | .returned += [$p.reviewer] | .issues += (($p.issues // []) | blocking)
        | if (.returned | length) == (reviewers | length) then .stage = "ended" else . end;
        [])
    else refused($state; $p.task; "that reviewer is not awaited in that round") end;

# An answer that was lost on its way took its launches with it; this is how a review gets over that.
def status($state; $p):
  $state.reviews[$p.task] as $review
  | if $review.stage == "reviewing" and is_overdue($review.launched; $p.now) then
      changed($state; $p.task; $review | .launched = $p.now; reviewers - $review.returned | reviewer_launches)
      | .failed.accepted = true
    else unchanged(stands($state; $p.task) | .accepted = (.round > 0)) end;

# --- the protocol ----------------------------------------------------------------------------------------------------------

def expected:
  {
    begin_task: ["task"], open: ["task"], fixed: ["task"], status: ["task"],
    analysed: ["task", "round"], report: ["task", "round", "reviewer"]
  };

def arguments_are_sound($operation):
  expected[$operation] as $required
  | (if $operation | IN("analysed", "report") then ["issues"] else [] end) as $optional
  | type == "object" and (($required - keys) == []) and ((keys - $required - $optional - ["now"]) == [])
    and (.task | type) == "string" and (.now | is_moment)
    and ((has("round") | not) or (.round | is_count))
    and ((has("reviewer") | not) or (.reviewer | type) == "string")
    and ((has("issues") | not) or (.issues | issues_are_sound));

def operate($operation; $state; $p):
  if $operation == "begin_task" then begin_task($state; $p)
  elif $operation == "open" then open($state; $p)
  elif $operation == "fixed" then fixed($state; $p)
  elif $operation == "analysed" then analysed($state; $p)
  elif $operation == "report" then report($state; $p)
  else status($state; $p) end;

def with_state($call; $text; $trouble):
  ($call.method | ltrimstr("review_gate/")) as $operation
  # jq 1.6 lets a bare try catch what goes wrong after it, too; inside an array it cannot.
  | (if $text == "" then {} else [try ($text | fromjson) catch null][0] end) as $state
  | if $call.params | arguments_are_sound($operation) | not then
      {error: {code: -32602, message: "these are not the arguments of \($operation)"}}
    elif $trouble != "" then unchanged(trouble_answer($call.method; $trouble))
    elif $text != "" and ($state | state_is_sound | not) then
      unchanged(trouble_answer($call.method; "the record of the reviews is damaged"))
    else operate($operation; $state; $call.params) end;

def dispatch($call; $text; $trouble):
  if $call.method == "initialize" then unchanged(hello)
  elif $call.method | IN("reset", "open") then unchanged({}) + {workdir: $call.params.workdir}
  elif $call.method == "shutdown" then unchanged({})
  elif ($call.method | startswith("review_gate/")) and (expected | has($call.method | ltrimstr("review_gate/"))) then
    with_state($call; $text; $trouble)
  else {error: {code: -32601, message: "there is no \($call.method)"}} end;

def reply($id): {jsonrpc: "2.0", id: $id} + . | tojson;

def decide($line; $text; $trouble):
  ($line | fromjson) as $call
  | dispatch($call; $text; $trouble)
  | (if .error then {error} else {result: .answer} end | reply($call.id)),
    (if .save then .save | tojson else "" end),
    (if .save then
       {result: (.failed + {log: [{level: "error", code: "not_saved", message: "the state could not be saved"}]})}
       | reply($call.id)
     else "" end),
    (.workdir // "");

# jq takes longer to start than to decide, so one run serves all messages.
inputs as $line | input as $text | input as $trouble
| [try decide($line; $text; $trouble) catch ""] | . + ["", "", "", ""] | .[0:4][]
