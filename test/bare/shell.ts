import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'

export const say = (line: string) => process.stdout.write(`${line}\n`)

/** Runs a command and returns what it wrote; throws with its output when it fails. */
export function runCommand(file: string, args: string[], options: { cwd?: string; input?: Buffer } = {}): string {
  return execFileSync(file, args, { ...options, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['pipe', 'pipe', 'pipe'] })
}

/** Who runs a command inside the bare root. */
export interface MachineUser {
  name: 'root' | 'user'
  uid: number
  home: string
}

export const machineUsers: MachineUser[] = [
  { name: 'root', uid: 0, home: '/root' },
  { name: 'user', uid: 1000, home: '/home/user' },
]

const shown = /^(LANG|(NODE_EXTRA_CA|SSL_CERT)\w*|https?_proxy|no_proxy)$/i

/**
 * Starts a shell command inside the bare root as one of its people, with mounts and process ids of its own, so that
 * nothing of this machine is seen and nothing is left when it ends. Only certificates and proxies are handed in.
 */
export function spawnInside(root: string, person: MachineUser, command: string, options: SpawnOptions): ChildProcess {
  const script = [
    'set -e',
    'mount --make-rprivate /',
    // A root that is a mount of its own lets the tests inside make name spaces of mounts.
    'mount --bind "$1" "$1"',
    'mount -t proc proc "$1/proc"',
    'mount -t tmpfs -o mode=755 dev "$1/dev"',
    'for node in null zero full random urandom tty; do',
    '  touch "$1/dev/$node"; mount --bind "/dev/$node" "$1/dev/$node"',
    'done',
    'mkdir "$1/dev/shm"',
    'mount -t tmpfs -o mode=1777 shm "$1/dev/shm"',
    'ln -s /proc/self/fd "$1/dev/fd"',
    'exec chroot "$1" setpriv --reuid "$2" --regid "$2" --clear-groups sh -c "$3"',
  ].join('\n')
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => shown.test(name))),
    PATH: '/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: person.home,
    PORT: '43333',
    BRIDGE_PORT: '43334',
  }
  return spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'inside', root, `${person.uid}`, command],
    { ...options, env },
  )
}
