"""Server-sent events and JSON answers over HTTP."""
import hashlib
import json
import os
import time
from http.server import BaseHTTPRequestHandler


def pieces(text, size=400):
    """The pieces in which a text is streamed."""
    return [text[at:at + size] for at in range(0, len(text), size)] or [""]


class Stream(BaseHTTPRequestHandler):
    """A handler that can answer in one go or event by event."""

    protocol_version = "HTTP/1.1"
    server_version = "lab"

    def log_message(self, *a):
        pass

    def read_body(self):
        """The body of a request, of a known length or in chunks."""
        n = self.headers.get("content-length")
        if n is not None:
            return self.rfile.read(int(n))
        raw = b""
        while "chunked" in (self.headers.get("transfer-encoding") or ""):
            size = int(self.rfile.readline().split(b";")[0], 16)
            raw += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                break
        return raw

    def begin_answer(self, witness, number):
        """Counts what is written of an answer; a witness tells whether each event arrives before the next is written."""
        self.witness, self.number = witness, number
        self.digest, self.n_written, self.is_streamed = hashlib.sha256(), 0, witness is not None

    def note_written(self, data):
        self.digest.update(data)
        self.n_written += len(data)
        self.is_streamed = self.is_streamed and self.witness.has_arrived(self.number, self.n_written)

    def json(self, obj, status=200, headers=None):
        data = json.dumps(obj, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for k, v in (headers or {}).items():
            self.send_header(k, v)
        self.end_headers()
        self.wfile.write(data)
        self.note_written(data)

    def sse_open(self, rid):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("request-id", rid)
        self.send_header("x-request-id", rid)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def sse(self, obj, event=None):
        s = (f"event: {event}\n" if event else "") + "data: " + (obj if isinstance(obj, str) else json.dumps(obj, ensure_ascii=False)) + "\n\n"
        b = s.encode()
        self.wfile.write(f"{len(b):x}\r\n".encode() + b + b"\r\n")
        self.wfile.flush()
        self.note_written(b)

    def sse_close(self):
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def hang(self, st, rec):
        if st.get("hang"):
            rec["hung"] = True
            open(os.path.join(self.server.lab.out, "hung"), "w").close()  # the drive script interrupts now
            end = time.time() + st["hang"]
            while time.time() < end:
                time.sleep(0.25)
                if self.server.lab.anthropic_ping:
                    self.sse({"type": "ping"}, "ping")
                else:
                    self.wfile.write(b"2\r\n:\n\r\n"); self.wfile.flush()
