import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'
import { syncBuiltinESMExports } from 'node:module'

/** Takes every way to a network from a process, where a namespace of its own cannot be had. */
const refuse = () => { throw new Error('there is no network here') }
net.Socket.prototype.connect = refuse
net.connect = net.createConnection = dgram.createSocket = dns.lookup = dns.resolve = refuse
dns.promises.lookup = dns.promises.resolve = refuse
globalThis.fetch = refuse
syncBuiltinESMExports()
