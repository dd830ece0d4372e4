import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findProgram } from '../../core/embedded/tied-process.ts'
import { machineUsers, say, runCommand } from './shell.ts'

const suite = 'bookworm'

/** How this machine fetches packages, and whom it trusts. */
const settings = [
  '/etc/apt',
  '/usr/share/keyrings',
  '/etc/ssl/certs',
  '/usr/share/ca-certificates',
  '/usr/local/share/ca-certificates',
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/npmrc',
  '/usr/etc/npmrc',
]

/** Makes a minimal system in this folder: nothing but the essential packages, Node 20, npm, and how to fetch more. */
export function createRoot(root: string): void {
  if (!findProgram('debootstrap')) {
    say('Installing the package debootstrap (apt-get)')
    runCommand('apt-get', ['update', '-qq'])
    runCommand('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'debootstrap'])
  }
  say(`Making a minimal ${suite} in ${root}`)
  runCommand('debootstrap', ['--variant=minbase', suite, root, mirror()])
  chmodSync(root, 0o755)
  copyNode(root)
  for (const path of settings) copy(path, join(root, path))
  appendFileSync(join(root, 'etc/passwd'), 'user:x:1000:1000::/home/user:/bin/sh\n')
  appendFileSync(join(root, 'etc/group'), 'user:x:1000:\n')
  for (const { uid, home } of machineUsers) {
    mkdirSync(join(root, home), { recursive: true, mode: 0o700 })
    copy(join(process.env['HOME'] ?? '/root', '.npmrc'), join(root, home, '.npmrc'))
    runCommand('chown', ['-R', `${uid}:${uid}`, join(root, home)])
    runCommand('chmod', ['0700', join(root, home)])
  }
}

/** Clones the checkout into each person's home: what is committed, and nothing else. */
export function putCheckouts(root: string, checkout: string): void {
  const changes = runCommand('git', ['status', '--porcelain'], { cwd: checkout }).split('\n').filter(Boolean).length
  if (changes > 0) say(`The checkout has ${changes} changes that are not committed; they stay behind`)
  for (const { uid, home } of machineUsers) {
    const folder = join(root, home, 'tessera')
    runCommand('git', ['clone', '--quiet', '--depth', '1', `file://${checkout}`, folder])
    runCommand('chmod', ['0700', folder])
    runCommand('chown', ['-R', `${uid}:${uid}`, folder])
  }
}

/** The first mirror that this machine's own package settings name for its distribution. */
function mirror(): string {
  const indexes = runCommand('apt-get', ['indextargets', '--format', '$(CODENAME) $(SITE)'])
  const line = indexes.split('\n').find((text) => text.startsWith(`${suite} `))
  if (line === undefined) throw new Error(`The package settings of this machine name no mirror of ${suite}`)
  return line.split(' ')[1] ?? ''
}

/** The Node and npm that people start with, not the ones that the package brings. */
function copyNode(root: string): void {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'))
  const find = (name: string) => folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
  const [node, npm] = [find('node'), find('npm')]
  if (node === undefined || npm === undefined) throw new Error('No node and npm on the PATH to copy')
  copy(realpathSync(node), join(root, 'usr/local/bin/node'))
  copy(dirname(dirname(realpathSync(npm))), join(root, 'usr/local/lib/node_modules/npm'))
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  say(`Inside: node ${runCommand(node, ['--version']).trim()}, npm ${runCommand(npm, ['--version']).trim()}`)
}

function copy(from: string, to: string): void {
  if (!existsSync(from)) return
  rmSync(to, { recursive: true, force: true })
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
}
