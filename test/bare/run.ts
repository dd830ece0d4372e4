import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createRoot, putCheckouts } from './root.ts'
import { spawnInside, machineUsers, say, runCommand, type MachineUser } from './shell.ts'

/**
 * Proves that the two commands work on a bare machine: for root below a closed home and for an ordinary user, `npm
 * start` twice and `npm test`. Arguments are handed to `npm test`; `--tests-only` leaves the starts out.
 */
const checkout = join(import.meta.dirname, '../..')
const args = process.argv.slice(2).filter((arg) => arg !== '--tests-only')
const testsOnly = process.argv.includes('--tests-only')

const readyPatience = 300_000
const seconds = (since: number) => ((Date.now() - since) / 1000).toFixed(1)

interface Row {
  name: string
  what: string
  result: string
  good: boolean
}

async function main(): Promise<boolean> {
  if (process.getuid?.() !== 0) {
    say('npm run test:bare needs root: it makes a system of its own')
    return false
  }
  const root = mkdtempSync('/var/tmp/tessera-bare-')
  const rows: Row[] = []
  try {
    createRoot(root)
    putCheckouts(root, checkout)
    for (const person of machineUsers) rows.push(...(await tryOut(root, person)))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
  say('')
  for (const { name, what, result, good } of rows) {
    say(`${good ? 'good' : 'BAD '}  ${name.padEnd(5)} ${what.padEnd(18)} ${result}`)
  }
  if (args.length === 0 && !testsOnly) keep(rows)
  return rows.every(({ good }) => good)
}

/** Keeps what a whole run came to, for README. */
function keep(rows: readonly Row[]): void {
  const figures = { command: 'npm run test:bare', rows: rows.map(({ name, what, result }) => ({ name, what, result })) }
  writeFileSync(join(checkout, 'test/figures/speed/bare.json'), `${JSON.stringify(figures, null, 2)}\n`)
}

async function tryOut(root: string, person: MachineUser): Promise<Row[]> {
  const before = installed(root, person)
  const rows: Row[] = []
  if (!testsOnly) {
    rows.push(await start(root, person, 'npm start, first'))
    rows.push(await start(root, person, 'npm start, again'))
  }
  rows.push(await test(root, person))
  const now = installed(root, person)
  const found = [...now].filter((name) => !before.has(name))
  rows.push({ name: person.name, what: 'installed', result: listed(found), good: true })
  return rows
}

/** Starts everything, waits for the table, holds demo.json against what is promised, and stops with Ctrl-C. */
async function start(root: string, person: MachineUser, what: string): Promise<Row> {
  const began = Date.now()
  const command = `cd ${person.home}/tessera; setsid npm start & trap "kill -INT -$!" TERM; wait $!; wait $!`
  const child = spawnInside(root, person, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  const late = setTimeout(() => child.kill('SIGKILL'), readyPatience)
  let ready: string | undefined
  if (!child.stdout) throw new Error('no output to read')
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('Tessera is ready')) ready = seconds(began)
    if (ready === undefined) say(`  ${person.name}: ${line}`)
    if (line.includes('Ctrl-C')) break
  }
  const complaint = ready === undefined ? 'never ready' : demoComplaint(root, person)
  const stopping = Date.now()
  if (ready !== undefined) signalInside(child.pid ?? 0)
  child.stdout.resume()
  if (child.exitCode === null) await once(child, 'exit')
  clearTimeout(late)
  return {
    name: person.name,
    what,
    good: complaint === '',
    result: complaint || `ready in ${ready} s, stopped in ${seconds(stopping)} s`,
  }
}

/** Sends SIGTERM to the first process inside, whose shell does to npm's process group what Ctrl-C does. */
function signalInside(unshare: number): void {
  const first = runCommand('ps', ['-o', 'pid=', '--ppid', `${unshare}`]).trim()
  process.kill(Number(first), 'SIGTERM')
}

function demoComplaint(root: string, person: MachineUser): string {
  const file = join(root, person.home, 'tessera/.data/demo.json')
  const members = Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object).join()
  const promised = 'api,docs,console,bridge,outbox,organization,application,apiKey,signIn,chains'
  if (members !== promised) return `demo.json holds ${members}`
  return (statSync(file).mode & 0o777) === 0o600 ? '' : 'demo.json can be read by others'
}

async function test(root: string, person: MachineUser): Promise<Row> {
  const began = Date.now()
  const command = `cd ${person.home}/tessera && npm test -- ${args.map((arg) => `'${arg}'`).join(' ')}`
  const child = spawnInside(root, person, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  if (!child.stdout) throw new Error('no output to read')
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    say(`  ${person.name}: ${line}`)
  })
  const [code] = (await once(child, 'close')) as [number]
  const minutes = ((Date.now() - began) / 60_000).toFixed(1)
  const skipped = lines.filter((line) => line.startsWith('DID NOT RUN')).join('; ')
  const count = lines.findLast((line) => / passed, /.test(line)) ?? 'no count'
  const result = [`${count} in ${minutes} min`, skipped].filter(Boolean).join('; ')
  return { name: person.name, what: 'npm test', good: code === 0, result }
}

/** A browser alone needs more than a hundred packages: those are counted. */
function listed(found: readonly string[]): string {
  const packages = found.filter((name) => !name.startsWith('~'))
  const folders = found.filter((name) => name.startsWith('~'))
  const counted =
    packages.length > 8
      ? [
          `${packages.length} packages of the distribution${packages.includes('chromium') ? ', chromium and what it needs' : ''}`,
        ]
      : packages
  return [...counted, ...folders].join(', ') || 'nothing'
}

/** Packages of the distribution, and what this person's caches and checkout were filled with, below their home. */
function installed(root: string, person: MachineUser): Set<string> {
  const packages = runCommand('dpkg-query', [
    `--admindir=${join(root, 'var/lib/dpkg')}`,
    '--show',
    '--showformat=${Package}\n',
  ])
  const home = join(root, person.home)
  const folders = globSync([`${home}/.cache/*/*`, `${home}/tessera/node_modules`])
  return new Set([...packages.split('\n').filter(Boolean), ...folders.map((path) => path.replace(home, '~'))])
}

process.exit((await main()) ? 0 : 1)
