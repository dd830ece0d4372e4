import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const main = join(import.meta.dirname, 'main.ts')
const cut = join(import.meta.dirname, 'cut.mjs')

/** How a process is kept from every network here: a namespace without any, else its own calls cut off. */
function isolation(): { how: string; command: readonly string[] } {
  for (const flags of ['-n', '-rn']) {
    try {
      execFileSync('unshare', [flags, 'true'], { stdio: 'ignore' })
      return { how: `unshare ${flags}`, command: ['unshare', flags, process.execPath, main] }
    } catch {
      continue
    }
  }
  return { how: 'a preload that cuts dns, net and fetch', command: [process.execPath, '--import', cut, main] }
}

export interface Verdict {
  name: string
  error: string | null
}

/** Verifies a folder in a process without network. @param peer `host:port` that it must not reach */
export async function verifyOffline(folder: string, peer: string): Promise<{ how: string; verdicts: Verdict[] }> {
  const {
    how,
    command: [program = '', ...rest],
  } = isolation()
  const { stdout } = await promisify(execFile)(program, [...rest, folder, peer])
  const [first, ...verdicts] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Verdict & { network?: boolean })
  if (first?.network !== false) throw new Error(`a process under ${how} reaches the network`)
  return { how, verdicts }
}
