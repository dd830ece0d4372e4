import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Reads a JSON file of secrets (mode 0600), and creates it at first use. Two processes that create the file at the same
 * time get the same content: each links a complete file into place, and only one link can succeed.
 */
export function readOrCreateSecrets<T extends object>(path: string, createSecrets: () => T): T {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify(createSecrets(), null, 2)}\n`, { mode: 0o600 })
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

export const createRandomHex = (bytes: number) => randomBytes(bytes).toString('hex')
