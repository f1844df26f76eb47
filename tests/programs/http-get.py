#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the answer to GET of http://HOST:PORT/PATH, or of unix:SOCKET's /metrics."""
import http.client
import socket
import sys
import urllib.request

url = sys.argv[1]
if url.startswith("unix:"):
    connection = http.client.HTTPConnection("localhost")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(url[5:])
    connection.request("GET", "/metrics")
    sys.stdout.buffer.write(connection.getresponse().read())
else:
    sys.stdout.buffer.write(urllib.request.urlopen(url, timeout=10).read())
