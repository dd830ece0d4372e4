import { readdirSync, statSync } from 'node:fs'
import { join, matchesGlob, normalize, relative } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/**
 * Lists the test files with this ending that match an argument: a file, a folder, the beginning of a path or a glob.
 * Without arguments it lists all. The file that checks the whole run comes last.
 */
export function listTestFiles(ending: string, requestedPaths: string[]): string[] {
  const all = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((name) => name.endsWith(ending))
    .sort((a, b) => Number(checksWholeRun(a)) - Number(checksWholeRun(b)) || a.localeCompare(b))
  if (requestedPaths.length === 0) return all
  const patterns = requestedPaths.map((name) => normalize(relative(root, join(root, name))))
  const found = all.filter((file) => patterns.some((pattern) => file.startsWith(pattern) || matchesGlob(file, pattern)))
  const single = patterns.filter((name) => statSync(join(root, name), { throwIfNoEntry: false })?.isFile())
  return [...new Set([...found, ...single])]
}

/** Returns whether a file checks what all others did: it reads which answers of the API this run has seen. */
export const checksWholeRun = (file: string) => file === join('test/house/declared-answers.test.ts')
