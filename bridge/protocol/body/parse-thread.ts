import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { getMessageId } from '../respond.ts'
import { parseBody, tooDeepRefusal, type ParsedBody } from './parse-body.ts'

/** Nice value of the thread: where processors are short, the calls of others go first. */
const niceness = 5

/** Sends the parsed body. A value that is nested too deeply to be copied between threads is refused. */
function sendBody(body: ParsedBody): void {
  try {
    parentPort?.postMessage(body)
  } catch (cause) {
    if (!(cause instanceof RangeError || cause instanceof DOMException)) throw cause
    parentPort?.postMessage({ ...tooDeepRefusal, id: 'message' in body ? getMessageId(body.message) : null })
  }
}

// Only Linux has a priority for each thread.
if (process.platform === 'linux') setPriority(0, niceness)
parentPort?.on('message', (bytes: Uint8Array) => sendBody(parseBody(bytes)))
