"""The queues on disk, with what the dead-letter file has beside its tasks (L417-421)."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from harness.systems.dead_letter.contract import METADATA_FIELDS
from harness.systems.queue_document import Document
from harness.systems.queue_files import ABANDONED, DEAD_LETTER, is_count
from harness.systems.queue_store import METADATA, Queues, QueueStore

LAST_REVIEWED, TOTAL_ABANDONED, TOTAL_RECOVERED = METADATA_FIELDS
NEW = {LAST_REVIEWED: None, TOTAL_ABANDONED: 0, TOTAL_RECOVERED: 0}


class DeadLetterQueues(Queues):
    """The queues; dead-letter.json always gets its schema, and its counters change with the task that leaves it.

    A copy is counted when it is taken out of the file, in the same write: so each task is counted once, also when the
    one who moved it died, or could not write, before that, and another opening takes the copy out.
    """

    def metadata(self) -> dict[str, Any]:
        """The metadata of the dead-letter queue; OSError when it cannot be read."""
        return metadata_of(self._document(DEAD_LETTER))

    def is_settled(self, task_id: str) -> bool:
        """Is it, on disk too, in no other queue than the one that ``place`` tells?"""
        return all(task_id not in ids for ids in self._left.values())

    def _write(self, queue: str, document: Document) -> None:
        super()._write(queue, self._completed(document) if queue == DEAD_LETTER else document)

    def _forget(self, queue: str, document: Document, ids: Iterable[str]) -> None:
        super()._forget(queue, self._counted(document, ids) if queue == DEAD_LETTER else document, ids)

    def _completed(self, document: Document) -> Document:
        found = (document.queue.metadata or {}).get("metadata", {})
        missing = {name: value for name, value in NEW.items() if name not in metadata_of(document)}
        if not isinstance(found, dict):
            self._report(METADATA, DEAD_LETTER, document.written("metadata"))
        return document.with_metadata(missing) if missing else document

    def _counted(self, document: Document, ids: Iterable[str]) -> Document:
        counts = Counter(filter(None, map(self._counter, ids)))
        before = metadata_of(document)
        fields = {name: number_of(before.get(name)) + count for name, count in counts.items()}
        return document.with_metadata(fields) if fields else document

    def _counter(self, task_id: str) -> str | None:
        """What counts that it leaves: only a copy that was made from this one is another place that it went to."""
        left = self._document(DEAD_LETTER).find(task_id)
        went = {
            queue: found.moves()
            for queue, document in self._documents.items()
            if queue != DEAD_LETTER and (found := document.find(task_id)) is not None
        }
        if left is None or not went or max(went.values()) <= left.moves():
            return None
        return TOTAL_ABANDONED if max(went, key=lambda queue: went[queue]) == ABANDONED else TOTAL_RECOVERED


class KeptQueues(QueueStore):
    """The queues of a project."""

    queues_class = DeadLetterQueues


def metadata_of(document: Document) -> dict[str, Any]:
    """The object ``metadata`` beside the tasks; an empty one where there is none."""
    found = (document.queue.metadata or {}).get("metadata")
    return found if isinstance(found, dict) else {}


def number_of(value: Any) -> int:
    """A counter; 0 when it is none."""
    return int(value) if is_count(value) and value < 2**53 else 0
