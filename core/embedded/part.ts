import { closeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import getPort from 'get-port'
import { keepProgram, type Program } from './keeper.ts'
import { createLogFile } from './log-file.ts'
import { spawnTied, type ProcessTie } from './tied-process.ts'

/** A database, queue or chain that this process started, or whose address it was given. */
export interface Part {
  url: string
  /** Where the part comes from, for people: the name of a variable or of a program. */
  source: string
  /** Process id; undefined if somebody else runs the part, and between a death and the next launch. */
  readonly pid: number | undefined
  ready(): Promise<void>
  stop(): Promise<void>
}

/** The options that every start of a part needs. */
export interface PartOptions {
  /** Absolute path of the data folder. The folder is created if it does not exist. */
  dataDir: string
  giveUp: (cause: Error) => void
}

export interface ProgramLaunch {
  command: readonly [string, ...string[]]
  tie: ProcessTie
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** Text for standard input, for content that no command line should show. */
  stdin?: string
}

export interface PartProgram extends Omit<Program, 'launch' | 'ready' | 'tail'> {
  logPath: string
  /** Prepares the launch on this port. It is called before every launch, so all preparation belongs here. */
  launch(port: number): Promise<ProgramLaunch>
  /** Tries once to use the part. Resolves if the part serves, and rejects if it does not serve yet. */
  probePort(port: number): Promise<void>
}

/** Creates a part that somebody else runs. */
export const createForeignPart = (url: string, source: string): Part => ({
  url,
  source,
  pid: undefined,
  ready: async () => undefined,
  stop: async () => undefined,
})

/** Keeps a part running on a free port, and tries another port if somebody took the first one in the meantime. */
export async function keepPart(part: PartProgram, giveUp: PartOptions['giveUp']) {
  for (let attempt = 1; ; attempt++) {
    const port = await getPort({ host: '127.0.0.1' })
    try {
      const kept = keepProgram(createProgram(part, port), giveUp)
      await kept.ready()
      return { kept, port }
    } catch (cause) {
      const taken = cause instanceof Error && /address (already )?in use/i.test(cause.message)
      if (!taken || attempt === 5) throw cause
    }
  }
}

function createProgram(part: PartProgram, port: number): Program {
  const output = createLogFile(part.logPath)
  return {
    ...part,
    tail: output.tail,
    async launch() {
      const { command, tie, cwd, env, stdin } = await part.launch(port)
      const descriptor = output.open()
      const stdio = [stdin === undefined ? ('ignore' as const) : ('pipe' as const), descriptor, descriptor]
      const child = spawnTied(command, tie, { cwd, env: { ...process.env, ...env }, stdio })
      closeSync(descriptor)
      child.stdin?.end(stdin)
      return child
    },
    async ready(child) {
      while (child.exitCode === null && child.signalCode === null) {
        const served = await part.probePort(port).then(
          () => true,
          () => false,
        )
        if (served) return
        await sleep(25)
      }
    },
  }
}
