"""A witness between a harness and `cwl proxy`: keeps each body as the harness sent it, and what came back.

The witness gives each request a number in a header of its own, by which the model's records are found, and hands each piece of an
answer on as soon as it comes. The model asks it whether an event has arrived before it writes the next one.
"""
import hashlib
import http.client
import json
import os
import threading
from http.server import ThreadingHTTPServer

from .stream import Stream

NUMBER = "x-lab-request"
OF_CONNECTION = {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect", "content-length"}


class Witness:
    """The bodies that came, in OUT/came, and how many bytes of each answer have come back."""

    def __init__(self, port, proxy_port, out):
        self.folder, self.proxy_port = os.path.join(out, "came"), proxy_port
        os.makedirs(self.folder)
        self.n, self.arrived, self.changed = 0, {}, threading.Condition()
        server = ThreadingHTTPServer(("127.0.0.1", port), Relay)
        server.daemon_threads, server.witness = True, self
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def next_number(self):
        with self.changed:
            self.n += 1
            return f"{self.n:03d}"

    def note_piece(self, number, piece):
        with self.changed:
            self.arrived[number] = self.arrived.get(number, 0) + len(piece)
            self.changed.notify_all()

    def has_arrived(self, number, n_bytes, seconds=10):
        """Tells whether so much of an answer has come back; waits for it."""
        with self.changed:
            return self.changed.wait_for(lambda: self.arrived.get(number, 0) >= n_bytes, seconds)

    def keep(self, number, body, answer):
        with open(os.path.join(self.folder, f"{number}.json"), "wb") as file:
            file.write(body)
        with self.changed, open(os.path.join(self.folder, "index.jsonl"), "a") as file:
            file.write(json.dumps({"number": number, "body": digest_of(body), "answer": answer.hexdigest()}) + "\n")


class Relay(Stream):
    """Hands one request on to the proxy, and its answer back."""

    def do_GET(self):
        self.relay()

    do_POST = do_HEAD = do_GET

    def relay(self):
        witness, body, answer = self.server.witness, self.read_body(), hashlib.sha256()
        number = witness.next_number()
        proxy = http.client.HTTPConnection("127.0.0.1", witness.proxy_port)
        try:
            proxy.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in (*of_request(self.headers), (NUMBER, number)):
                proxy.putheader(name, value)
            if body or self.command == "POST":
                proxy.putheader("content-length", str(len(body)))
            proxy.endheaders(body)
            response = proxy.getresponse()
            is_chunked = response.length is None and self.command != "HEAD"
            self.send_response_only(response.status, response.reason)
            for name, value in of_request(response.headers):
                self.send_header(name, value)
            self.send_header(*(("transfer-encoding", "chunked") if is_chunked else ("content-length", str(response.length))))
            self.end_headers()
            while piece := response.read1(1 << 16):
                answer.update(piece)
                witness.note_piece(number, piece)
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" if is_chunked else piece)
                self.wfile.flush()
            if is_chunked:
                self.wfile.write(b"0\r\n\r\n")
                self.wfile.flush()
        except (OSError, http.client.HTTPException):
            self.close_connection = True  # either side went away; the other one shall see it
        finally:
            proxy.close()
            if self.command == "POST":
                witness.keep(number, body, answer)


def of_request(headers):
    """The headers that belong to a request or an answer, and not to a connection."""
    return [(name, value) for name, value in headers.items() if name.lower() not in OF_CONNECTION]


def digest_of(body):
    return hashlib.sha256(body).hexdigest()
