"""Stands between clients and PostgreSQL servers, and cuts connections at chosen statements."""
import asyncio, contextlib, random, struct, threading

# Where a statement's connection is cut: the server never gets the statement; it gets it, and works
# on it while the client has none left; it has done it, and its answer is lost.
PLACES = ("before", "during", "after")
PROTOCOL_3 = 196608


class Plan:
    """The statements that are cut; they are counted over all connections from 1."""

    def __init__(self, place=None, number=None, share=0.0):
        self.place, self.number, self.share = place, number, share
        self.seen = self.cuts = 0

    def next(self):
        """Where the next statement is cut; None where it is let through."""
        self.seen += 1
        if self.seen == self.number or random.random() < self.share:
            self.cuts += 1
            return self.place or random.choice(PLACES)
        return None


class Proxy:
    """Passes connections on to a server, and cuts them as its plan says."""

    def __init__(self, find_server, path=None):
        """Listens on a socket at a path, or on a port of loopback, which is then `port`.

        `find_server` names the server of a new connection, in the same way; None refuses it.
        """
        self.find_server, self.plan = find_server, Plan()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.port = asyncio.run_coroutine_threadsafe(self.listen(path), self.loop).result()

    @contextlib.contextmanager
    def cutting(self, plan):
        """Cuts as a plan says, as long as the block runs."""
        self.plan = plan
        try:
            yield plan
        finally:
            self.plan = Plan()

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def listen(self, path):
        if path:
            await asyncio.start_unix_server(self.serve, str(path))
            return None
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        """Passes one client's messages on until either side ends, or the plan cuts it."""
        upper = None
        try:
            server = await self.loop.run_in_executor(None, self.find_server)
            if server is None:
                return
            if isinstance(server, int):
                answers, upper = await asyncio.open_connection("127.0.0.1", server)
            else:
                answers, upper = await asyncio.open_unix_connection(str(server))
            connection = Connection(self, reader, writer, answers, upper)
            sides = [asyncio.ensure_future(side)
                     for side in (connection.pass_statements(), connection.pass_answers())]
            await asyncio.wait(sides, return_when=asyncio.FIRST_COMPLETED)
            for side in sides:
                side.cancel()
            await asyncio.gather(*sides, return_exceptions=True)
        except OSError:
            # The server is away, as its client will find.
            pass
        finally:
            for side in (writer, upper):
                if side:
                    side.close()


class Connection:
    """A client's connection, and the one to the server that belongs to it."""

    def __init__(self, proxy, reader, writer, answers, upper):
        self.proxy, self.answers, self.upper = proxy, answers, upper
        self.reader, self.writer = reader, writer
        # Set while an answer is to be lost.
        self.loses_answer = False

    async def pass_statements(self):
        """Passes on whole statements, each with the messages that belong to it."""
        size, version = struct.unpack("!II", start := await self.reader.readexactly(8))
        if version != PROTOCOL_3:
            # A request to cancel, or for TLS, which the address should have ruled out.
            return
        self.upper.write(start + await self.reader.readexactly(size - 8))
        statement = b""
        while True:
            kind, message = await frame(self.reader)
            statement += message
            # All messages before Sync belong to one statement; a password is none.
            if kind in b"SQ":
                place = self.proxy.plan.next()
                if place == "before":
                    return
                self.loses_answer = place == "after"
                self.upper.write(statement)
                await self.upper.drain()
                if place == "during":
                    return
                statement = b""
            elif kind in b"pX":
                self.upper.write(statement)
                statement = b""

    async def pass_answers(self):
        while True:
            kind, message = await frame(self.answers)
            if not self.loses_answer:
                self.writer.write(message)
                await self.writer.drain()
            elif kind == b"Z":
                return


async def frame(reader):
    """One message: its type, and all its bytes."""
    head = await reader.readexactly(5)
    return head[:1], head + await reader.readexactly(struct.unpack("!I", head[1:])[0] - 4)
