"""A page in a real browser, headless and without a network: what it shows, does and complains about."""

import base64
import json
import os
import re
import select
import shutil
import subprocess
import time
from html import unescape

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no name has an address: what is not on the disk is not found
    "--enable-logging=stderr",
    "--v=0",
]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 60  # seconds until a page that does not do what is expected is given up
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


def look_at(page, profile):
    """The document after its scripts ran, and the lines of the browser's console."""
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={profile}", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def words(document):
    """What a reader sees of a document: no tags, scripts or styles, and each space a single one."""
    text = re.sub(r"<(script|style)\b.*?</\1>", " ", document, flags=re.DOTALL)
    text = re.sub(r"</?(?:td|th|p|li|h\d|div|title|figcaption)\b[^>]*>", " ", text)
    return " ".join(unescape(re.sub(r"<[^>]+>", "", text)).split())


class Tab:
    """A tab that is told what to do, by the browser's own protocol over a pair of pipes.

    `complaints` are the lines of the console, uncaught exceptions, and what was asked of a network.
    """

    def __init__(self, profile):
        from_here, to_browser = os.pipe()
        to_here, from_browser = os.pipe()
        # the browser reads commands from descriptor 3 and answers on 4
        script = f'exec "$@" 3<&{from_here} 4>&{from_browser}'
        flags = [*FLAGS, "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", script, "browser", str(CHROMIUM), *flags],
            pass_fds=(from_here, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(from_here)
        os.close(from_browser)
        self.writer, self.reader = os.fdopen(to_browser, "wb", 0), os.fdopen(to_here, "rb", 0)
        self.number, self.session, self.rest, self.complaints = 0, None, b"", []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.writer.close()
        self.reader.close()
        self.process.kill()
        self.process.wait()

    def ask(self, method, **params):
        """Send a command and wait for its answer; events on the way are looked at."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session is not None:
            command["sessionId"] = self.session
        self.writer.write(json.dumps(command).encode() + b"\0")
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]
            self.note(message)

    def receive(self):
        """The next message."""
        while b"\0" not in self.rest:
            assert select.select([self.reader], [], [], PATIENCE)[0], "the browser says nothing"
            part = self.reader.read(1 << 20)
            assert part, "the browser has gone"
            self.rest += part
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def note(self, event):
        """Keep what a page should not do."""
        method, params = event.get("method"), event.get("params", {})
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(params)
        elif method == "Network.requestWillBeSent":
            address = params["request"]["url"]
            if not address.startswith(("file:", "data:", "about:")):
                self.complaints.append(address)

    def open(self, page, fragment=""):
        """Open a file, and wait for it."""
        self.ask("Page.navigate", url="about:blank")  # another fragment alone would not load it anew
        self.ask("Page.navigate", url=page.as_uri() + (f"#{fragment}" if fragment else ""))
        self.wait_for("document.readyState === 'complete' && location.protocol === 'file:'")

    def run(self, script):
        """The value of an expression in the page."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait_for(self, condition):
        """Wait until an expression is true."""
        until = time.monotonic() + PATIENCE
        while not self.run(condition):
            assert time.monotonic() < until, f"it never was so: {condition}"
            time.sleep(0.02)

    def press(self, key):
        """Press a key, and let it go."""
        text = {"text": key} if len(key) == 1 else {}
        self.ask(
            "Input.dispatchKeyEvent", type="keyDown", key=key, code="Space" if key == " " else key, **text
        )
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def show(self, width, height, scheme="light"):
        """Have a window of this size, and these colours."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        """Keep the whole page as a PNG, to be looked at."""
        found = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))
