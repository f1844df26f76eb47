#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: receiver.py FOLDER [CERT KEY]

A far end that takes profiles. It prints its port. FOLDER/orders has a line for each
answer, oldest first: a status, "slow SECONDS", "hangup", or "STATUS NAME: VALUE" with a
header; for OTLP also "partial", and for Parca "grpc STATUS"; the last line is for all others. Each request is kept in FOLDER: its body in
N.body, and in N.json the path, the headers, the time and the answer.
"""
import http.server
import json
import os
import ssl
import sys
import threading
import time

folder = sys.argv[1]
lock = threading.Lock()
count = 0


def next_order():
    """Takes the first line, unless it is the last."""
    path = os.path.join(folder, "orders")
    lines = open(path).read().splitlines()
    if len(lines) > 1:
        with open(path + ".new", "w") as file:
            file.write("\n".join(lines[1:]) + "\n")
        os.rename(path + ".new", path)
    return lines[0]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def keep(self, body, order):
        global count
        count += 1
        name = os.path.join(folder, "%04d" % count)
        with open(name + ".body", "wb") as file:
            file.write(body)
        with open(name + ".new", "w") as file:
            json.dump({"path": self.path, "headers": dict(self.headers.items()),
                       "time": time.time(), "order": order}, file)
        os.rename(name + ".new", name + ".json")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            order = next_order()
            self.keep(body, order)
        words = order.split(None, 1)
        if words[0] == "hangup":
            self.close_connection = True
            self.connection.close()
            return
        if words[0] == "slow":
            time.sleep(float(words[1]))
            words = ["200"]
        answer = b""
        if self.headers["Content-Type"] == "application/grpc-web+proto":
            trailers = b"grpc-status:%d\r\n" % (int(words[1]) if words[0] == "grpc" else 0)
            answer = b"\x80" + len(trailers).to_bytes(4, "big") + trailers
            words = ["200"]
        elif words[0] == "partial":
            answer, words = b"\x0a\x02\x08\x01", ["200"]
        elif words[0] != "200":
            # it is shown in messages
            answer = b"no\x1b"
        try:
            self.send_response(int(words[0]))
            for header in words[1:]:
                self.send_header(*header.split(": ", 1))
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
        except OSError:
            pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, *args):
        pass


server = Server(("127.0.0.1", int(os.environ.get("PORT", 0))), Handler)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[2:4])
    if len(sys.argv) > 4:
        context.load_verify_locations(sys.argv[4])
        context.verify_mode = ssl.CERT_REQUIRED
    # the handshake is the connection's own thread's, so a client that fails delays nobody
    server.socket = context.wrap_socket(server.socket, server_side=True,
                                        do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
server.serve_forever()
