import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A user that a program runs as; only root can name one. */
export interface Identity {
  uid: number
  gid: number
}

export interface Tie {
  /** What the kernel sends to the program when this process is gone, however it ended. */
  signal: NodeJS.Signals
  as?: Identity
}

/**
 * Starts a program that does not outlive this process (prctl PR_SET_PDEATHSIG, set by setpriv) and that keeps its
 * own process group, so that Ctrl-C in the terminal reaches it only through this process.
 */
export function spawnTied(command: readonly [string, ...string[]], tie: Tie, options: SpawnOptions): ChildProcess {
  const [file, ...args] = tied(command, tie)
  return spawn(file, args, { ...options, detached: true })
}

/** The command line that runs `command` as `tie` says. Where setpriv is missing, the plain command. */
export function tied(command: readonly [string, ...string[]], tie: Tie): [string, ...string[]] {
  const setpriv = findProgram('setpriv')
  if (setpriv === undefined) return [...command]
  const { as } = tie
  const identity = as ? ['--reuid', `${as.uid}`, '--regid', `${as.gid}`, '--clear-groups'] : []
  return [setpriv, ...identity, '--pdeathsig', tie.signal.replace('SIG', ''), ...command]
}

/** The path of the first of these programs that the PATH has. */
export function findProgram(...names: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
