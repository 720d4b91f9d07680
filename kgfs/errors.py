"""Every error that a person, a program or the kernel may see, and what it becomes there.

Used by every layer; imports nothing of ours. The message of an error is the sentence that the user sees: it says
what is wrong and what to do next. ``errno`` is what the mount returns, ``exit_status`` what the command ends with
(design, section 3: 1 failed, 2 wrong usage, 3 not found, 4 conflict, 5 partly done, 130 interrupted), ``kind`` the
name in JSON output.
"""

from __future__ import annotations

import errno


class KgfsError(Exception):
    """Something failed; the message says what to do next."""

    errno: int = errno.EIO
    exit_status: int = 1
    kind: str = "failed"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UsageError(KgfsError):
    """The command or the query has an invalid argument."""

    errno = errno.EINVAL
    exit_status = 2
    kind = "usage"


class QueryError(UsageError):
    """A query path or a search with invalid syntax or an unknown word."""

    kind = "bad_query"


class RefusedError(KgfsError):
    """The statement would do more than read; only reading is allowed."""

    errno = errno.EACCES
    kind = "refused"


class NotFoundError(KgfsError):
    """No such path, item or store."""

    errno = errno.ENOENT
    exit_status = 3
    kind = "not_found"


class UnknownWord(NotFoundError):
    """An unknown component of a query path: to programs the same, with a sentence for people."""


class Unreachable(KgfsError):
    """The network or a server on it fails; what is here goes on being shown."""

    errno = errno.EHOSTUNREACH
    kind = "unreachable"


class NotADirectory(KgfsError):
    """A component of the path is a file, not a directory."""

    errno = errno.ENOTDIR
    exit_status = 3
    kind = "not_a_directory"


class IsADirectory(KgfsError):
    """The path is a directory where a file is needed."""

    errno = errno.EISDIR
    exit_status = 2
    kind = "is_a_directory"


class ReadOnlyError(KgfsError):
    """This part of the tree is read-only; write under notes/."""

    errno = errno.EROFS
    exit_status = 1
    kind = "read_only"


class MountedReadOnly(ReadOnlyError):
    """The store is mounted read-only, so every change is refused."""

    kind = "mounted_read_only"


class DiskReadOnly(ReadOnlyError):
    """The disk that holds the store is read-only; nothing was written."""

    kind = "disk_read_only"


class ConflictError(KgfsError):
    """It exists already, or another process uses it."""

    errno = errno.EBUSY
    exit_status = 4
    kind = "conflict"


class ChangedError(ConflictError):
    """It was changed meanwhile by another writer; nothing was written."""

    kind = "changed"


class ExistsError(ConflictError):
    """The name exists already; choose another one, or ask to replace it."""

    errno = errno.EEXIST
    kind = "path_conflict"


class NotEmpty(ConflictError):
    """The directory is not empty; empty it first, or ask to remove it recursively."""

    errno = errno.ENOTEMPTY
    kind = "not_empty"


class NotPermitted(KgfsError):
    """This kind of thing cannot be stored here: there are files and directories, all of one owner."""

    errno = errno.EPERM
    kind = "not_permitted"


class BadName(UsageError):
    """An invalid file name. A name has at most 255 bytes of UTF-8 and no `/`, and is not `.` or `..`."""

    errno = errno.EINVAL
    kind = "bad_name"


class NameTooLong(BadName):
    """A name is at most 255 bytes long; choose a shorter one."""

    errno = errno.ENAMETOOLONG


class StoreError(KgfsError):
    """The store is missing, damaged, or of another version."""

    kind = "store"


class DamagedCatalog(StoreError):
    """Blocks of the catalog cannot be read; `kgfs fsck` names what was in them."""

    kind = "damaged"


class DamagedLog(StoreError):
    """A log of what was written last cannot be read to its end; `kgfs fsck --repair` goes on with what is before."""

    kind = "damaged_log"

    def __init__(self, message: str, log: str = "", place: int = 0) -> None:
        super().__init__(message)
        self.log = log
        """The path of the log; nothing where the error came over a socket."""
        self.place = place
        """The byte of the log at which what cannot be read begins."""


class StoreLocked(ConflictError):
    """Another process has the store open."""

    kind = "store_locked"


class NoSpaceError(KgfsError):
    """The disk that holds the store is full; free some space, nothing was lost."""

    errno = errno.ENOSPC
    kind = "no_space"


class TooLarge(KgfsError):
    """The answer is larger than it may be; ask for less, or in a smaller place."""

    errno = errno.EFBIG
    kind = "too_large"


class DeadlineExceeded(KgfsError):
    """The answer took longer than its deadline; ask for less or try again."""

    errno = errno.ETIMEDOUT
    kind = "timeout"


class WorkerError(KgfsError):
    """The worker process failed or died; it is started again at the next call."""

    kind = "worker"


class ModelError(WorkerError):
    """The embedding model cannot be used; the message names the setting to change."""

    kind = "model"


class ModelMismatch(ModelError):
    """The configured model makes other vectors than the store has; `kgfs reembed` embeds everything with it."""

    kind = "model_mismatch"


class ModelLoading(WorkerError):
    """The embedding model is still loading; ask again in a few seconds."""

    kind = "model_loading"


class LlmError(KgfsError):
    """A language model gave no usable answer to one request; other requests may succeed."""

    kind = "llm"


class LlmTimeout(LlmError):
    """No readable answer of a language model came in time; the request may have been billed."""

    kind = "llm_timeout"


class BatchesUnsupported(LlmError):
    """The server of the language model takes no batches; the same requests can be sent one by one."""

    kind = "llm_batches"


class LlmUnavailable(KgfsError):
    """The language model cannot be used now; the message names the remedy."""

    kind = "llm_unavailable"


class BudgetError(KgfsError):
    """The next request could cost more than is left of the budget; what was answered is kept."""

    kind = "budget"


class Cancelled(KgfsError):
    """The user stopped it; nothing is lost."""

    errno = errno.EINTR
    exit_status = 130
    kind = "cancelled"


BY_KIND: dict[str, type[KgfsError]] = {
    error.kind: error
    for error in (
        KgfsError, UsageError, QueryError, RefusedError, NotFoundError, Unreachable, NotADirectory, IsADirectory,
        ReadOnlyError, MountedReadOnly, DiskReadOnly, ConflictError, ChangedError, ExistsError, NotEmpty,
        NotPermitted, BadName, StoreError, DamagedCatalog, DamagedLog, StoreLocked, NoSpaceError, TooLarge,
        DeadlineExceeded, WorkerError, ModelError, ModelMismatch, ModelLoading, LlmError, LlmTimeout, LlmUnavailable,
        BudgetError, Cancelled,
    )
}  # fmt: skip


def from_kind(kind: str, message: str) -> KgfsError:
    """The error again after it crossed a socket as ``(kind, message)``; an unknown kind becomes ``KgfsError``."""
    return BY_KIND.get(kind, KgfsError)(message)
