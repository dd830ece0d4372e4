import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'

/**
 * Prints how large the house is, of the checkout or of a commit: lines, files and folders, and how many floors of
 * imports an area has. Usage: `npm run house -- [<commit>]`.
 */
const root = join(import.meta.dirname, '../..')
const commit = process.argv[2]

const folder = commit === undefined ? root : extractCommit(commit)
try {
  for (const [name, value] of Object.entries(measureHouse(folder)))
    process.stdout.write(`${name.padEnd(44)} ${value}\n`)
} finally {
  if (folder !== root) rmSync(folder, { recursive: true })
}

function extractCommit(name: string): string {
  const target = mkdtempSync(join(tmpdir(), 'tessera-test-'))
  const archive = execFileSync('git', ['archive', name], { cwd: root, maxBuffer: 1 << 30 })
  execFileSync('tar', ['-x', '-C', target], { input: archive })
  return target
}

function listFiles(checkout: string): string[] {
  const [command, args] =
    commit === undefined
      ? (['git', ['ls-files', '--cached', '--others', '--exclude-standard']] as const)
      : (['git', ['ls-tree', '-r', '--name-only', commit]] as const)
  const names = execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).split('\n')
  return names.filter((name) => name.endsWith('.ts') && !name.endsWith('.abi.ts') && hasFile(checkout, name))
}

function hasFile(checkout: string, name: string): boolean {
  try {
    readFileSync(join(checkout, name))
    return true
  } catch {
    return false
  }
}

function measureHouse(checkout: string): Record<string, string | number> {
  const read = (name: string) => readFileSync(join(checkout, name), 'utf8')
  const files = listFiles(checkout)
  const product = files.filter((name) => /^(core|bridge|tools|prompts)\//.test(name) && !/\/migrations\//.test(name))
  const tests = files.filter((name) => name.startsWith('test/'))
  const countLines = (name: string) => read(name).split('\n').length - 1
  const productLines = product.map(countLines).sort((one, other) => one - other)
  const result: Record<string, string | number> = {
    'product: files, without migrations': product.length,
    'product: lines': productLines.reduce((sum, one) => sum + one, 0),
    'product: lines of the median file': productLines[Math.floor(productLines.length / 2)] ?? 0,
    'product: lines of the longest file': productLines.at(-1) ?? 0,
    'product: files below 20 lines': productLines.filter((lines) => lines < 20).length,
    'product: files in the largest folder': findLargestFolder(product),
    'tests: files': tests.length,
    'tests: lines': tests.reduce((sum, name) => sum + countLines(name), 0),
    'tests: files in the largest folder': findLargestFolder(tests),
    'files that insert, change or delete passports': product.filter((name) =>
      /(insert into|update|delete from) passports\b|copy\w* passports \(|PassportRow\.query[^;]*\.(patch|delete)/i.test(
        read(name),
      ),
    ).length,
  }
  for (const area of ['dpp', 'certification', 'imports']) {
    const { floors, arrows } = measureImports(
      product.filter((name) => name.startsWith(`core/features/${area}/`)),
      read,
    )
    result[`${area}: floors, arrows of imports`] = `${floors}, ${arrows}`
  }
  return result
}

function findLargestFolder(names: readonly string[]): string {
  const counts = Map.groupBy(names, (name) => dirname(name))
  const [largest] = [...counts].sort(([, one], [, other]) => other.length - one.length)
  return largest ? `${largest[1].length} in ${largest[0]}` : '0'
}

/** Counts the imports between the files of an area, and the files of the longest chain of them. */
function measureImports(names: readonly string[], read: (name: string) => string) {
  const known = new Set(names)
  const targets = new Map(
    names.map((name) => [
      name,
      [...read(name).matchAll(/(?:from|import)\s+'(\.[^']+)'/g)]
        .map(([, target = '']) => posix.normalize(posix.join(posix.dirname(name), target)))
        .filter((target) => known.has(target)),
    ]),
  )
  const floors = new Map<string, number>()
  const countFloors = (name: string, above: ReadonlySet<string>): number => {
    const done = floors.get(name)
    if (done !== undefined) return done
    if (above.has(name)) return 0
    const below = (targets.get(name) ?? []).map((target) => countFloors(target, new Set([...above, name])))
    // An index file only forwards imports, so it does not count as a link of the chain.
    const count = (name.endsWith('/index.ts') ? 0 : 1) + Math.max(0, ...below)
    floors.set(name, count)
    return count
  }
  return {
    floors: Math.max(0, ...names.map((name) => countFloors(name, new Set()))),
    arrows: [...targets.values()].reduce((sum, list) => sum + list.length, 0),
  }
}
