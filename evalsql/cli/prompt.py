"""The line of the shell; prompt_toolkit is imported with this module."""

from collections.abc import Callable, Iterator

import platformdirs
from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.output.defaults import create_output
from pygments.lexers.sql import SqlLexer

from evalsql.cli.output import note
from evalsql.cli.sql_completion import Vocabulary, complete, is_blank, is_command, split

_KEYS = KeyBindings()


class _Completer(Completer):
    def __init__(self, vocabulary: Callable[[], Vocabulary]) -> None:
        self.vocabulary = vocabulary

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        for choice in complete(document.text_before_cursor, self.vocabulary()):
            if choice.text.isprintable():  # a stranger's names may turn the line around
                yield Completion(choice.text, -choice.length, display_meta=choice.meaning)


@_KEYS.add("enter")
def _send_or_go_on(event: KeyPressEvent) -> None:
    """Send a command, nothing at all, or statements of which the last is ended; else begin another line."""
    buffer = event.current_buffer
    text = buffer.text
    if is_command(text) or not text.strip() or is_blank(split(text)[1]):
        buffer.validate_and_handle()
    else:
        buffer.insert_text("\n")


def read_statements(vocabulary: Callable[[], Vocabulary]) -> Iterator[str]:
    """What is typed, statement by statement and command by command, until Ctrl-D."""
    session: PromptSession[str] = PromptSession(
        history=_history(),
        completer=_Completer(vocabulary),
        complete_while_typing=False,
        auto_suggest=AutoSuggestFromHistory(),
        lexer=PygmentsLexer(SqlLexer),
        multiline=True,
        key_bindings=_KEYS,
        prompt_continuation=lambda width, number, wrapped: "" if wrapped else "    ...> ",
        # Standard output carries data only, where it goes elsewhere.
        output=create_output(always_prefer_tty=True),
    )
    while True:
        try:
            text = session.prompt("evalsql> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if is_command(text):
            yield text
        else:
            yield from split(text)[0]


def _history() -> History:
    """Kept in the user's data folder, or where that cannot be written until the shell ends."""
    path = platformdirs.user_data_path("evalsql", appauthor=False) / "history"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o600)  # statements may hold secrets
        path.open("a").close()
        path.chmod(0o600)
    except OSError as error:
        note(f"evalsql: what is typed is not kept: {path}: {error.strerror}")
        return InMemoryHistory()
    return FileHistory(str(path))
