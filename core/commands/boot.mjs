/**
 * Runs an entry point of this package on Node 24: `node boot.mjs <entry> [arguments]`. Any Node from 20 on can run
 * this file itself. Packages that are missing or older than the lock file are installed first.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants as access, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const modules = join(root, 'node_modules')
const lockFile = join(root, 'package-lock.json')
const installedFile = join(modules, '.package-lock.json')
const stampFile = join(modules, '.tessera-installed')

const hash = (...texts) => createHash('sha256').update(texts.join('\0')).digest('hex')
const read = (file) => existsSync(file) ? readFileSync(file, 'utf8') : ''
const stamp = () => hash(read(lockFile), read(installedFile))

const [entry, ...args] = process.argv.slice(2)
if (entry === undefined) fail('Which entry point? node core/commands/boot.mjs <file> [arguments]')
if (!isInstalled()) alone(() => isInstalled() || install())
run()

/** Whether all that this machine needs is there in the version of the lock file. */
function isInstalled() {
  if (!existsSync(installedFile)) return false
  if (read(stampFile) === stamp()) return true
  const { packages: wanted } = JSON.parse(read(lockFile))
  const { packages: found } = JSON.parse(read(installedFile))
  const lean = process.env.NODE_ENV === 'production' && !entry.startsWith('test/')
  const allowed = (list, own) => list === undefined || list.includes(own)
  return Object.entries(wanted).every(([path, { version, optional, dev, devOptional, os, cpu }]) =>
    path === '' || found[path]?.version === version || (lean && (dev || devOptional))
    || (optional && !(allowed(os, process.platform) && allowed(cpu, process.arch))))
}

/** Packages of another user, as root's, cannot be brought up to date: npm would say so in forty lines. */
function demandOwnPackages() {
  const folder = existsSync(modules) ? modules : root
  try {
    accessSync(folder, access.W_OK)
  } catch {
    const state = folder === modules ? 'is not as package-lock.json says' : 'has no packages'
    fail(`${folder} ${state}, belongs to uid ${statSync(folder).uid}, and cannot be written to by this user (uid ${process.getuid?.()}).
Run \`npm ci\` as that user; or remove node_modules as that user and start again; or use a checkout of your own.`)
  }
}

function install() {
  demandOwnPackages()
  process.stderr.write('Installing the packages of package-lock.json (npm ci)\n')
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm']
  const [command, ...rest] = [...npm, 'ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  const { status, error } = spawnSync(command, rest, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) fail(`npm ci did not succeed${error ? `: ${error.message}` : ''}`)
  writeFileSync(stampFile, stamp())
}

/** Does the work while no other process of this user does it for the same checkout. */
function alone(work) {
  const lock = join(tmpdir(), `tessera-install-${process.getuid?.() ?? 0}-${hash(root).slice(0, 16)}`)
  for (;;) {
    try {
      writeFileSync(lock, `${process.pid}`, { flag: 'wx', mode: 0o600 })
      break
    } catch (cause) {
      if (cause.code !== 'EEXIST') fail(`The lock ${lock} of an installation cannot be made: ${cause.message}`)
      const holder = Number(read(lock))
      if (holder > 0 && !isAlive(holder)) rmSync(lock, { force: true })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  }
  try {
    work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return cause.code === 'EPERM'
  }
}

function run() {
  const packaged = join(modules, '.bin/node')
  const recent = Number(process.versions.node.split('.')[0]) >= 24
  if (!existsSync(packaged) && !recent) {
    fail(`Node 24 is needed; this is ${process.version}, and the packaged one does not fit this machine`)
  }
  const PATH = [join(modules, '.bin'), process.env.PATH].filter(Boolean).join(delimiter)
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(modules, '.cache/compiled')
  // As `workerEnvironment` and `workerFlags` of core/start do it, which this file cannot import.
  const flags = entry === 'core/worker.ts' ? ['--heap-growing-percent=20'] : []
  const frugal = entry === 'core/worker.ts'
    ? {
      NODE_OPTIONS: '--max-semi-space-size=4', MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '32768',
      MALLOC_TRIM_THRESHOLD_: '65536', MALLOC_TOP_PAD_: '0',
    }
    : {}
  // Before the entry begins: it may have said that it is ready before the next line here runs.
  let child
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => (child ? child.kill(signal) : process.exit(128 + constants.signals[signal])))
  }
  child = spawn(existsSync(packaged) ? packaged : process.execPath, [...flags, join(root, entry), ...args], {
    cwd: root, env: { ...frugal, ...process.env, PATH, NODE_COMPILE_CACHE }, stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  child.on('error', (cause) => fail(`Node 24 does not start: ${cause.message}`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
  if (process.env.npm_lifecycle_event) endWithParent(child)
}

/** npm does not end its scripts when it is killed itself, nor does the shell between the two: so the script watches. */
function endWithParent(child) {
  const parents = () => `${process.ppid} ${/ppid:\s*(\d+)/i.exec(read(`/proc/${process.ppid}/status`))?.[1]}`
  const born = parents()
  setInterval(() => { if (parents() !== born) child.kill('SIGTERM') }, 500).unref()
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
