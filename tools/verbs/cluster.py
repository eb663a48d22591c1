"""Runs a PostgreSQL cluster of its own that fails over, until its input ends.

usage: tools/dev cluster

It makes three servers under Patroni and an etcd in a temporary folder, on loopback. One server is
the primary, and one of the others is its synchronous standby. It prints the address of a database,
with which libpq finds the primary, and an address that goes through a proxy, which finds it too.
When its standard input ends, or by Control-C, it ends all of them and removes the folder.

    tools/dev cluster
    daybook store create 'postgres://daybook@127.0.0.1:…'

Each line of its input hurts the primary; the answer comes when the cluster is whole again:

  kill          kill -9 of PostgreSQL
  kill-patroni  kill -9 of Patroni, which comes back when another server is the primary
  crash         kill -9 of both, which come back then
  lose          as crash, and the server's disk is lost
  stop          SIGSTOP of both, and SIGCONT when another server is the primary
  pause         SIGSTOP of PostgreSQL, and SIGCONT before that
  fill          its disk is full; needs root, who gives each server a small disk in memory
  cut           connections through the proxy are cut at one statement in ten
  etcd          kill -9 of etcd, which comes back later
  standby       kill -9 of the synchronous standby
"""
import os, signal, sys

import cluster, hurting, project, proxy

arguments = project.parser(__doc__)
arguments.parse_args()
# A runner of tests that is killed ends the pipe, and with it the servers.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
try:
    servers = cluster.Cluster(own_disks=os.getuid() == 0)
except (cluster.Missing, cluster.Slow) as error:
    sys.exit(f"tools/dev cluster: {error}")
try:
    cutter = proxy.Proxy(servers.primary_port)
    hurts = hurting.Hurts(servers, cutter)
    print(servers.url, servers.address([cutter.port]), flush=True)
    project.answer_lines(hurts.commands())
finally:
    servers.remove()
