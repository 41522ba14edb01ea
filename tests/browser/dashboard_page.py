"""Starting `rowgate dashboard`, and reading its page as a person does."""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 60  # seconds, on a busy machine


@dataclass
class Dashboard:
    """A page that is served; `key` is what its address ends in, `key=…`."""

    address: str
    key: str
    process: "subprocess.Popen[str]"

    def end(self) -> int:
        """Ask it to end, and wait. The exit status."""
        self.process.terminate()
        return self.process.wait(PATIENCE)


@contextmanager
def dashboard(project: Path, environ: Mapping[str, str], *arguments: str) -> Iterator[Dashboard]:
    """`rowgate dashboard` until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(project / ".venv" / "bin" / "rowgate"), "dashboard", "--port", str(port), *arguments]
    with subprocess.Popen(command, env=dict(environ), stderr=subprocess.PIPE, text=True) as process:
        try:
            said = ""
            for line in process.stderr:  # it ends where the program does
                said += line
                if f"http://127.0.0.1:{port}/?key=" in line:
                    break
            else:
                raise AssertionError(said)
            yield Dashboard(f"http://127.0.0.1:{port}", line.partition("?")[2].partition(" ")[0], process)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(PATIENCE)


def until(condition: Callable[[], object]) -> object:
    """Wait until something is so, and return what it gave; what the page takes away meanwhile is looked for again."""
    from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException

    end = time.monotonic() + PATIENCE
    while True:
        try:
            found = condition()
        except (StaleElementReferenceException, NoSuchElementException, IndexError):
            found = None
        if found:
            return found
        assert time.monotonic() < end, f"it did not come to {condition}"
        time.sleep(0.05)


class Page:
    """The page in the browser."""

    def __init__(self, browser: object, address: str) -> None:
        self.browser = browser
        self.address = address

    def open(self, query: str = "") -> "Page":
        self.browser.get(f"{self.address}/{query}")
        return self.settled("The contract")

    def settled(self, text: str = "") -> "Page":
        """Wait until the server is done and the text is there."""
        state = "data-test-script-state"
        # In this order: who finds the text first knows that the server has begun.
        until(lambda: text in self.text and self.one("[data-testid=stApp]").get_attribute(state) == "notRunning")
        return self

    def one(self, css: str) -> object:
        return self.browser.find_element("css selector", css)

    def all(self, css: str) -> list:
        return self.browser.find_elements("css selector", css)

    @property
    def text(self) -> str:
        return self.one("[data-testid=stMain]").text

    def figures(self) -> dict[str, str]:
        """The figures of the run by their names, without what else is said of them."""
        script = """
            return [...document.querySelectorAll('.rg-figures div')].map(
                each => [each.querySelector('dt').innerText, each.querySelector('dd').innerText.split('\\n')[0]])
        """
        return dict(self.browser.execute_script(script))

    def table(self, label: str) -> list[list[str]]:
        """The rows of the table whose label begins so, without bars."""
        return self.rows(f".rg-scroll[aria-label^='{label}'] tbody tr")

    def rows(self, css: str, within: object = None) -> list[list[str]]:
        """What the rows of tables say that are found so, without bars; anywhere, or within an element."""
        script = """
            return [...(arguments[1] || document).querySelectorAll(arguments[0])].map(
                row => [...row.querySelectorAll(':is(th, td):not(.rg-barred)')].map(cell => cell.innerText.trim()))
        """
        return self.browser.execute_script(script, css, within)

    def pick(self, label: str, text: str) -> None:
        """Pick what has the text in a list, with the keyboard alone."""
        from selenium.webdriver.common.keys import Keys

        def offered() -> bool:
            field = self.one(f"input[aria-label='{label}']")
            if field.get_attribute("value") != text:  # also where a page drawn anew has lost what was typed
                field.send_keys(Keys.CONTROL + "a" + Keys.NULL + text)
            return text in self.all("[role=option]")[0].text

        until(offered)
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)

    def width(self) -> tuple[int, int]:
        """How wide the page's content is, and how wide the window, in CSS pixels."""
        script = """
            const main = document.querySelector('[data-testid=stMain]');
            const beyond = [document.documentElement.scrollWidth - innerWidth, main.scrollWidth - main.clientWidth];
            return [innerWidth + Math.max(...beyond), innerWidth]
        """
        return tuple(self.browser.execute_script(script))
