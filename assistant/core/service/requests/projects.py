"""Requests for projects and their files (K-01 to K-04)."""

from dataclasses import dataclass

from assistant.core.knowledge.files import FileState, KnownFile, Project
from assistant.core.knowledge.passages import FoundPassage, Passage
from assistant.core.messages import Attachment
from assistant.core.service.request import Request, Right

MOST_FOUND = 100
"""Most passages that a search finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFile:
    """A file with its text.

    Attributes:
        file: what is known of it.
        text: its text, or that of one passage.
        passage: the passage that was asked for; ``None`` for none. Its offsets are those in the whole text.
    """

    file: KnownFile
    text: str
    passage: Passage | None = None


class ListProjects(Request[tuple[Project, ...]]):
    """List the projects by name.

    Attributes:
        workspace: name of a workspace, for its projects alone; empty for all.
    """

    workspace: str = ""


class ShowProject(Request[Project]):
    """Tell of one project.

    Attributes:
        project: its id or its name.
    """

    project: str


class AddProject(Request[Project], right=Right.MANAGE):
    """Make a project. Only the user at this machine gives it folders.

    Its folders are followed: files that are added, changed, moved or deleted there follow.

    Attributes:
        name: its name, which no other project of the workspace has.
        folders: paths of the user's folders.
        workspace: name of its workspace; empty for the current one.
    """

    name: str
    folders: tuple[str, ...] = ()
    workspace: str = ""


class RenameProject(Request[Project], right=Right.MANAGE):
    """Give a project another name.

    Attributes:
        project: its id or its name.
        name: its new name.
    """

    project: str
    name: str


class RemoveProject(Request[Project], right=Right.MANAGE):
    """Remove a project. The user's own files stay. ``RestoreProject`` brings it back for ten seconds.

    Attributes:
        project: its id or its name.
    """

    project: str


class RestoreProject(Request[bool], right=Right.MANAGE):
    """Bring a removed project back. The result is whether it was still there.

    Attributes:
        project: its id.
    """

    project: str


class AddFolder(Request[Project], right=Right.OWN):
    """Let a project follow a folder.

    Attributes:
        project: its id or its name.
        folder: path of the folder.
    """

    project: str
    folder: str


class RemoveFolder(Request[Project], right=Right.MANAGE):
    """Let a project follow a folder no longer, and forget its files.

    Attributes:
        project: its id or its name.
        folder: path of the folder, as ``Project.folders`` has it.
    """

    project: str
    folder: str


class AddFiles(Request[tuple[KnownFile, ...]], right=Right.OWN):
    """Add copies of files to a project.

    Attributes:
        project: its id or its name.
        paths: paths of the files.
    """

    project: str
    paths: tuple[str, ...]


class AddFile(Request[KnownFile], right=Right.MANAGE):
    """Add a file to a project by its bytes. The same bytes are not added twice.

    Attributes:
        project: its id or its name.
        file: the file.
    """

    project: str
    file: Attachment


class KeepPage(Request[KnownFile], right=Right.MANAGE):
    """Keep the text of a page of the web in a project. A page that it keeps already is read again.

    If the page cannot be read, the request fails with the reason, and the old text of a kept page stays.

    Attributes:
        project: its id or its name.
        url: address of the page, with ``https://`` or ``http://``. It must be on the public internet.
    """

    project: str
    url: str


class ListFiles(Request[tuple[KnownFile, ...]]):
    """List files of a project: those that failed, then those that are skipped, then the others, each by name.

    Attributes:
        project: its id or its name.
        states: their states; none for all.
        after: id of the file after which the list goes on; empty for its beginning.
        limit: at most so many.
    """

    project: str
    states: tuple[FileState, ...] = ()
    after: str = ""
    limit: int = 1000


class ShowFile(Request[ShownFile]):
    """Read the text of a file.

    Attributes:
        file: its id.
        passage: number of a passage, for its text alone; 0 for the whole text.
    """

    file: str
    passage: int = 0


class RemoveFile(Request[KnownFile], right=Right.MANAGE):
    """Leave a file alone, which ``RetryFiles`` undoes. A stored copy is erased after ten seconds.

    Attributes:
        file: its id.
    """

    file: str


class RetryFiles(Request[int], right=Right.MANAGE):
    """Read a file again, or all that failed. The result is how many. A page of the web that is named is fetched again.

    Attributes:
        project: id or name of the project.
        file: id of the file; empty for all of the project that failed.
    """

    project: str
    file: str = ""


class SearchFiles(Request[tuple[FoundPassage, ...]]):
    """Find the passages of a project that match best, the best first.

    Attributes:
        project: its id or its name.
        question: words or a question, in any language.
        limit: at most so many, from 1 to ``MOST_FOUND``.
    """

    project: str
    question: str
    limit: int = 10


class ChooseProject(Request[Project | None]):
    """Let a conversation be about a project, which must belong to the workspace of its agent.

    Attributes:
        conversation: its id.
        project: id or name of the project; empty for none.
    """

    conversation: str
    project: str = ""


class ConversationProject(Request[Project | None]):
    """Tell which project a conversation is about; ``None`` for none.

    Attributes:
        conversation: its id.
    """

    conversation: str
