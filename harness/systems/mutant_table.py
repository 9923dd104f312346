"""How the mutants of a system get into its table, and are made by their names."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from harness.errors import UsageError
from harness.ports.files import Files, RealFiles
from harness.systems.mutant import Mutant

if TYPE_CHECKING:
    from harness.core.scenario import ScenarioLevel  # a mutant hook is a process: what it need not import, it does not

Part = tuple[type, type, str]
"""A class that the reference is made of, the class that owns it, and the owner's attribute that names it."""
AnyClass = TypeVar("AnyClass", bound=type)
Whole = TypeVar("Whole")


class MutantTable(Generic[Whole]):
    """The mutants of one profile: subclasses of ``whole``, which is the reference, and of its ``parts``.

    ``make`` makes an implementation from such a class, a Configuration and Files; ``title`` names the system in words.
    """

    def __init__(
        self,
        title: str,
        profile: str,
        whole: type[Whole],
        make: Callable[[type[Whole], Any, Files], Whole],
        parts: Sequence[Part] = (),
    ) -> None:
        self._title = title
        self._profile = profile
        self._whole = whole
        self._make = make
        self._parts = parts
        self.mutants: dict[str, Mutant] = {}
        """By name, in the order they were entered."""

    def empty(self) -> "MutantTable[Whole]":
        """A table of the same system that holds no mutants yet."""
        return type(self)(self._title, self._profile, self._whole, self._make, self._parts)

    def mutant(
        self, name: str, clause: str, description: str, level: "ScenarioLevel" = "L1", under: str = ""
    ) -> Callable[[AnyClass], AnyClass]:
        """Enters the decorated class, which overrides exactly one attribute; for the arguments see ``Mutant``.

        A class that is neither the whole nor one of its parts is a StopIteration.
        """

        def enter(changed: AnyClass) -> AnyClass:
            implementation = self.implementation(changed)

            def factory(configuration: Any, files: Files | None = None) -> Whole:
                return self._make(implementation, configuration, files or RealFiles())

            self.mutants[name] = Mutant(
                name, clause, self._profile, description, factory, implementation, changed, level, under
            )
            return changed

        return enter

    def implementation(self, changed: type) -> type[Whole]:
        """The whole that has the changed class for its part, by way of the part's owners; or is that class."""
        if issubclass(changed, self._whole):
            return changed
        owner, attribute = next(
            (owner, attribute) for part, owner, attribute in self._parts if issubclass(changed, part)
        )
        members: dict[str, Any] = {attribute: changed}
        return self.implementation(type(changed.__name__ + owner.__name__, (owner,), members))

    def create(self, name: str, configuration: Any, files: Files | None = None) -> Whole:
        """An implementation that is wrong in the one way of that mutant; UsageError when there is no such mutant."""
        found = self.mutants.get(name)
        if found is None:
            raise UsageError(f"there is no {self._title} mutant {name!r}")
        made = found.factory(configuration, files)
        assert isinstance(made, self._whole)  # noqa: S101
        return made
