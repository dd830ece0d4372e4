import { readdirSync, statSync } from 'node:fs'
import { join, matchesGlob, normalize, relative } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * The test files with this ending that one of the arguments names: a file, a folder, the beginning of a path or a
 * glob; without arguments all of them. Those that judge the whole run (`test/house`) come last.
 */
export function testFiles(ending: string, wanted: string[]): string[] {
  const all = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((name) => name.endsWith(ending))
    .sort((a, b) => Number(judges(a)) - Number(judges(b)) || a.localeCompare(b))
  if (wanted.length === 0) return all
  const patterns = wanted.map((name) => normalize(relative(root, join(root, name))))
  const found = all.filter((file) => patterns.some((pattern) => file.startsWith(pattern) || matchesGlob(file, pattern)))
  const single = patterns.filter((name) => statSync(join(root, name), { throwIfNoEntry: false })?.isFile())
  return [...new Set([...found, ...single])]
}

/** Whether a file judges the whole run. */
export const judges = (file: string) => file.startsWith(join('test', 'house'))
