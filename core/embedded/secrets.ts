import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * The content of a JSON file (mode 0600) of secrets, made at first use. Two processes that make it at the same time
 * end up with the same content: a complete file is linked into place, and only one link can succeed.
 */
export function keptSecrets<T extends object>(path: string, make: () => T): T {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify(make(), null, 2)}\n`, { mode: 0o600 })
    try {
      linkSync(draft, path)
    } catch (cause) {
      if (!existsSync(path)) throw cause
    } finally {
      rmSync(draft)
    }
  }
  return JSON.parse(readFileSync(path, 'utf8')) as T
}

export const randomHex = (bytes: number) => randomBytes(bytes).toString('hex')
