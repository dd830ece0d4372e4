import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A user that a program runs as. Only root can choose one. */
export interface UserIdentity {
  uid: number
  gid: number
}

export interface ProcessTie {
  /** Signal that the kernel sends to the program when this process is gone, however it ended. */
  signal: NodeJS.Signals
  as?: UserIdentity
}

/**
 * Starts a program that does not outlive this process (prctl PR_SET_PDEATHSIG, set by setpriv). The program has its own
 * process group, so that Ctrl-C in the terminal reaches it only through this process.
 */
export function spawnTied(
  command: readonly [string, ...string[]],
  tie: ProcessTie,
  options: SpawnOptions,
): ChildProcess {
  const [file, ...args] = createTiedCommand(command, tie)
  return spawn(file, args, { ...options, detached: true })
}

/** Creates the command line that runs `command` with this tie, or the plain command if setpriv is missing. */
export function createTiedCommand(command: readonly [string, ...string[]], tie: ProcessTie): [string, ...string[]] {
  const setpriv = findProgram('setpriv')
  if (setpriv === undefined) return [...command]
  const { as } = tie
  const identity = as ? ['--reuid', `${as.uid}`, '--regid', `${as.gid}`, '--clear-groups'] : []
  return [setpriv, ...identity, '--pdeathsig', tie.signal.replace('SIG', ''), ...command]
}

/** Finds the first of these programs on the PATH. @returns its path */
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
