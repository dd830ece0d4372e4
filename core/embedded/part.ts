import { closeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import getPort from 'get-port'
import { keep, type Program } from './keeper.ts'
import { logFile } from './tail.ts'
import { spawnTied, type Tie } from './tied.ts'

/** A database, queue or chain that this process started or was pointed to. */
export interface Part {
  url: string
  /** Where it comes from, for people: a variable's name or the program's. */
  source: string
  /** Undefined when it is not ours, and between a death and the next launch. */
  readonly pid: number | undefined
  ready(): Promise<void>
  stop(): Promise<void>
}

/** What starts a part needs from its surroundings. */
export interface Surroundings {
  /** An absolute path; the folder is made when it is not there. */
  dataDir: string
  giveUp: (cause: Error) => void
}

export interface Launch {
  command: readonly [string, ...string[]]
  tie: Tie
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** Written to standard input, for what no command line should show. */
  stdin?: string
}

export interface PartProgram extends Omit<Program, 'launch' | 'ready' | 'tail'> {
  log: string
  /** The launch on this port; whatever has to be put in order before is done here, at every launch again. */
  launch(port: number): Promise<Launch>
  /** One attempt to use it: resolves when it serves, rejects when it does not yet. */
  probe(port: number): Promise<void>
}

/** A part that somebody else runs. */
export const foreignPart = (url: string, source: string): Part =>
  ({ url, source, pid: undefined, ready: async () => undefined, stop: async () => undefined })

/** Keeps a part running on one free port; another port is tried when somebody took it in between. */
export async function keepPart(part: PartProgram, giveUp: Surroundings['giveUp']) {
  for (let attempt = 1; ; attempt++) {
    const port = await getPort({ host: '127.0.0.1' })
    try {
      const kept = keep(program(part, port), giveUp)
      await kept.ready()
      return { kept, port }
    } catch (cause) {
      const taken = cause instanceof Error && /address (already )?in use/i.test(cause.message)
      if (!taken || attempt === 5) throw cause
    }
  }
}

function program(part: PartProgram, port: number): Program {
  const output = logFile(part.log)
  return {
    ...part,
    tail: output.tail,
    async launch() {
      const { command, tie, cwd, env, stdin } = await part.launch(port)
      const descriptor = output.open()
      const stdio = [stdin === undefined ? 'ignore' as const : 'pipe' as const, descriptor, descriptor]
      const child = spawnTied(command, tie, { cwd, env: { ...process.env, ...env }, stdio })
      closeSync(descriptor)
      child.stdin?.end(stdin)
      return child
    },
    async ready(child) {
      while (child.exitCode === null && child.signalCode === null) {
        const served = await part.probe(port).then(() => true, () => false)
        if (served) return
        await sleep(25)
      }
    },
  }
}
