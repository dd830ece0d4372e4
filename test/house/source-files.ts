import { readdirSync, readFileSync } from 'node:fs'
import { dirname, matchesGlob, posix, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * The patterns of `.gitignore`, which are plain names and endings only. A bare machine has no git that could be asked.
 */
const ignored = readFileSync(resolve(root, '.gitignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.replace(/\/$/, ''))
const isIgnored = (name: string) => name === '.git' || ignored.some((pattern) => matchesGlob(name, pattern))

/** The files of the checkout that git tracks or would add, relative to the root. */
export const files: readonly string[] = listFiles('')

function listFiles(folder: string): string[] {
  return readdirSync(resolve(root, folder), { withFileTypes: true })
    .filter(({ name }) => !isIgnored(name))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name)
      return entry.isDirectory() ? listFiles(path) : [path]
    })
}

export const sources = files.filter((name) => /^(core|bridge|tools|prompts|test)\/.*\.ts$/.test(name))

export const readSource = (name: string): string => readFileSync(resolve(root, name), 'utf8')

/** An import of a file. @property isLate whether the module is loaded when its line runs, and not with the file */
export interface Import {
  from: string
  to: string
  isTypeOnly: boolean
  isLate: boolean
}

/** Lists the imports of a file: our own as a path from the root, others as the name of the package. */
export function parseImports(name: string): Import[] {
  const found = readSource(name).matchAll(
    /^(?:import|export)\s+(type\s+)?(?:[^'"]*?from\s+)?'([^']+)'|import\('([^']+)'\)/gms,
  )
  return [...found].map(([, type, direct, dynamic]) => {
    const target = direct ?? dynamic ?? ''
    const to = target.startsWith('.') ? relative(root, resolve(root, dirname(name), target)) : parsePackageName(target)
    return { from: name, to, isTypeOnly: type !== undefined, isLate: direct === undefined }
  })
}

const parsePackageName = (target: string) =>
  target.startsWith('node:')
    ? target
    : target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/')

export const imports: readonly Import[] = sources.flatMap(parseImports)
