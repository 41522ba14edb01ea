"""A real headless Chromium, one for the whole session."""

import os
import runpy
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

missing = runpy.run_path(str(Path(__file__).parents[1] / "conftest.py"))["missing"]

PROGRAMS = ("chromium", "chromedriver")


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """The driver of Debian's Chromium; tests ask for `browser`, which is clean for each."""
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException

    found = [shutil.which(program) for program in PROGRAMS]
    if None in found:
        missing("browser", f"{' and '.join(PROGRAMS)} are not both installed")
    options = webdriver.ChromeOptions()
    options.binary_location = str(found[0])
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for argument in (
        "--headless=new",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--no-first-run",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),  # Chromium refuses root a sandbox
    ):
        options.add_argument(argument)
    try:
        driver = webdriver.Chrome(options, webdriver.ChromeService(str(found[1])))
    except WebDriverException as error:
        missing("browser", f"Chromium does not start: {error.msg}")
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium) -> Iterator[object]:
    """A Selenium driver on an empty page, 1280 by 900, in a light scheme, with no cookies and nothing logged."""
    chromium.delete_all_cookies()
    show(chromium, 1280)
    for kind in ("browser", "performance"):
        chromium.get_log(kind)
    yield chromium
    chromium.get("about:blank")


@pytest.fixture
def shown_at(browser) -> Callable[..., None]:
    """Set the width in CSS pixels, and the colour scheme: `shown_at(390, dark=True)`."""

    def set_to(width: int, *, dark: bool = False) -> None:
        show(browser, width, dark=dark)

    return set_to


def show(driver, width: int, *, dark: bool = False) -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
