"""A TLS server on this computer: tls_server.py CERTIFICATE KEY NEWEST

Says its port on standard output, and ends with its standard input. NEWEST is the newest TLS it
speaks, such as 1.3. It answers each request with the number of its connection, and resets a
connection when the second request on it begins.
"""
import os
import socket
import ssl
import struct
import sys
import threading

certificate, key, newest = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
if newest == "1.1":
    # OpenSSL's usual level of security has no TLS 1.1.
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
context.maximum_version = getattr(ssl.TLSVersion, "TLSv" + newest.replace(".", "_"))


def read_request(stream):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = stream.read(1)
        if not byte:
            return False
        head += byte
    length = [line for line in head.split(b"\r\n") if line.startswith(b"Content-Length:")]
    count = int(length[0].split(b":")[1])
    return len(stream.read(count)) == count


def serve(connection, number):
    with context.wrap_socket(connection, server_side=True) as secure:
        if not read_request(secure.makefile("rb")):
            return
        body = str(number).encode()
        secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        secure.recv(1)
        secure.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def end_with_input():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
number = 0
while True:
    connection, _ = listener.accept()
    number += 1
    try:
        serve(connection, number)
    except OSError:
        # A client that does not trust us hangs up.
        connection.close()
