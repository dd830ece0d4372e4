import { readdirSync, readFileSync } from 'node:fs'
import { dirname, matchesGlob, posix, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** What `.gitignore` names, which has plain names and endings only: a bare machine has no git to ask. */
const ignored = readFileSync(resolve(root, '.gitignore'), 'utf8').split('\n').filter((line) => line !== '')
  .map((line) => line.replace(/\/$/, ''))
const isIgnored = (name: string) => name === '.git' || ignored.some((pattern) => matchesGlob(name, pattern))

/** Files of the checkout that git has or would take, relative to the root. */
export const files: readonly string[] = filesIn('')

function filesIn(folder: string): string[] {
  return readdirSync(resolve(root, folder), { withFileTypes: true }).filter(({ name }) => !isIgnored(name))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name)
      return entry.isDirectory() ? filesIn(path) : [path]
    })
}

export const sources = files.filter((name) => /^(core|bridge|tools|prompts|test)\/.*\.ts$/.test(name))

export const textOf = (name: string): string => readFileSync(resolve(root, name), 'utf8')

/** @property late whether it is loaded when that line runs, not with the file */
export interface Import { from: string; to: string; typeOnly: boolean; late: boolean }

/** Every import of a file: ours as a path from the root, others as the package's name. */
export function importsOf(name: string): Import[] {
  const found = textOf(name).matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'"]*?from\s+)?'([^']+)'|import\('([^']+)'\)/gms)
  return [...found].map(([, type, direct, dynamic]) => {
    const target = direct ?? dynamic ?? ''
    const to = target.startsWith('.') ? relative(root, resolve(root, dirname(name), target)) : packageOf(target)
    return { from: name, to, typeOnly: type !== undefined, late: direct === undefined }
  })
}

const packageOf = (target: string) => target.startsWith('node:') ? target : target.split('/').slice(0, target.startsWith('@') ? 2 : 1).join('/')

export const imports: readonly Import[] = sources.flatMap(importsOf)
