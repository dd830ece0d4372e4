import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The compilers of V8 that work in threads of their own. */
const compilerFlags = ['sparkplug', 'maglev', 'turbofan']

/**
 * Exits the process, where `process.exit` alone might never end: Node waits for V8's compiler threads, and a compiler
 * that is out of memory waits until this thread collects garbage. So no compilation begins any more, and a collection
 * makes room for those in progress. Source: issue 54918 of nodejs/node, open in Node 24.21.
 * @param code by default `process.exitCode`, or 0
 */
export function exitProcess(code?: number): never {
  for (const name of compilerFlags) setFlagsFromString(`--no-${name}`)
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  collectGarbage()
  process.exit(code)
}
