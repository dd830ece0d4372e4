import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type {
  CallStep,
  DryStep,
  KeptPointers,
  ExpectedValues,
  RefusalHandling,
  Plan,
  PlanRead,
  ReadStep,
  Step,
  DoneCondition,
} from '../../prompts/demo/plan.ts'
import { callConfirmedTool, readResourceText } from '../support/bridge/bridge-client.ts'

/** How long a read may not match yet, in milliseconds: what the plan's own rules say. */
const timeoutMs = 60_000

/** The plan that a prompt holds. */
export async function readPlan(client: Client, args: Record<string, string>): Promise<{ plan: Plan; text: string }> {
  const { messages } = await client.getPrompt({ name: 'prepare_demo_environment', arguments: args })
  const [message] = messages
  if (messages.length !== 1 || message?.content.type !== 'text') throw new Error('The prompt is not one text')
  const { text } = message.content
  const block = /^```json\n([^]*?)\n```$/m.exec(text)?.[1]
  if (block === undefined) throw new Error('The prompt has no plan')
  return { plan: JSON.parse(block) as Plan, text }
}

/** Does what a plan says and nothing else. It knows the plan's rules, and no operation. */
export class Executor {
  readonly values = new Map<string, unknown>()
  /** Tools that were called, in order; those that only read for `unless` are not among them. */
  readonly called: string[] = []
  /** Steps that were already done. */
  readonly skipped: string[] = []
  /** What refused calls said would stay. */
  readonly stays: string[] = []
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  async run(steps: readonly (Step | DryStep)[]): Promise<void> {
    for (const step of steps) {
      if ('would' in step) throw new Error(`${step.id} is of a dry run`)
      if ('tool' in step) await this.#call(step)
      else if (this.#knows(step.read)) this.#matched(step, await this.#read({ read: step.read }))
      else this.skipped.push(step.id)
    }
  }

  /** What a dry run may do: reads. The steps that it found done, and those whose calls would be made. */
  async look(steps: readonly (Step | DryStep)[]): Promise<{ done: string[]; would: string[] }> {
    const seen = { done: [] as string[], would: [] as string[] }
    for (const step of steps) {
      if ('tool' in step) throw new Error(`${step.id} can be called`)
      if (!('would' in step)) await this.#lookAt(step)
      else if (this.#knows(step.unless) && (await this.#isDone(step.unless))) seen.done.push(step.id)
      else seen.would.push(step.id)
    }
    return seen
  }

  /** Finds the values that the steps of an earlier run kept, by reads alone. */
  async gather(steps: readonly (Step | DryStep)[]): Promise<void> {
    for (const step of steps) {
      if ('read' in step) {
        if ((step.keep || step.keepIfThere) && this.#knows(step)) this.#keepFitting(step, await this.#read(step))
      } else if ('keep' in step.unless && this.#knows(step.unless)) await this.#isDone(step.unless)
    }
  }

  /** Reads until it matches. Throws when it does not in time. */
  async check({ id, read, expect, keep }: ReadStep): Promise<void> {
    this.#keep(await this.#until(id, read, expect), keep)
  }

  #keepFitting(step: ReadStep, found: unknown): void {
    if (this.#fits(found, step.expect)) this.#matched(step, found)
  }

  async #lookAt(step: ReadStep): Promise<void> {
    if (!this.#knows(step.read)) return
    this.#matched(step, await this.#read({ read: step.read }))
  }

  #matched({ id, expect, keep, keepIfThere = {} }: ReadStep, found: unknown): void {
    if (!this.#fits(found, expect)) throw new Error(`${id} does not match: ${JSON.stringify(found)}`)
    this.#keep(found, keep)
    for (const [name, at] of Object.entries(keepIfThere)) {
      const value = valueAt(found, at)
      if (value !== undefined) this.values.set(name, value)
    }
  }

  async #call({ id, unless, tool, arguments: args, expect, keep, until, refused }: CallStep): Promise<void> {
    if (!this.#knows(unless) || !this.#knows(args)) return void this.skipped.push(id)
    if (await this.#isDone(unless)) return void this.skipped.push(id)
    this.called.push(tool)
    const result = await this.#tool(tool, args)
    const code = codeOf(result)
    if (code !== null) return await this.#instead(id, code, refused?.[code])
    this.#expect(id, result.structuredContent, expect)
    this.#keep(result.structuredContent, keep)
    if (until) await this.#until(id, until.read, until.matches)
  }

  async #instead(id: string, code: string, otherwise: RefusalHandling | undefined): Promise<void> {
    if (!otherwise) throw new Error(`${id} was refused: ${code}`)
    if (otherwise.stays !== undefined) this.stays.push(otherwise.stays)
    if (otherwise.tool === undefined) return
    this.called.push(otherwise.tool)
    const result = await this.#tool(otherwise.tool, otherwise.arguments ?? {})
    if (result.isError) throw new Error(`${id}: ${JSON.stringify(result.content)}`)
    this.#expect(id, result.structuredContent, otherwise.expect ?? {})
  }

  async #isDone(unless: DoneCondition): Promise<boolean> {
    const found = await this.#read(unless)
    if ('missing' in unless) return found === null
    if ('present' in unless) return unless.present.every((at) => valueAt(found, at) !== undefined)
    if (found === null || !this.#fits(found, unless.matches)) return false
    this.#keep(found, unless.keep)
    return true
  }

  /** The answer of a reading; null where nothing is there. */
  async #read(reading: PlanRead): Promise<unknown> {
    if ('tool' in reading) return (await this.#tool(reading.tool, reading.arguments)).structuredContent
    try {
      return JSON.parse((await readResourceText(this.#client, this.#filled(reading.read))).text)
    } catch (cause) {
      if ((cause as { code?: number }).code === -32002) return null
      throw cause
    }
  }

  async #tool(name: string, args: object): Promise<CallToolResult> {
    return await callConfirmedTool(this.#client, name, this.#filled(args) as Record<string, unknown>)
  }

  async #until(id: string, read: string, matches: ExpectedValues): Promise<unknown> {
    for (const deadline = Date.now() + timeoutMs; ; await sleep(100)) {
      const found = await this.#read({ read })
      if (this.#fits(found, matches)) return found
      if (Date.now() > deadline) throw new Error(`${id} never matched: ${JSON.stringify(found)}`)
    }
  }

  #expect(id: string, found: unknown, expected: ExpectedValues): void {
    if (!this.#fits(found, expected)) throw new Error(`${id} answered something else: ${JSON.stringify(found)}`)
  }

  #fits(found: unknown, expected: ExpectedValues): boolean {
    return Object.entries(expected).every(([at, value]) => isDeepStrictEqual(valueAt(found, at), this.#filled(value)))
  }

  #keep(found: unknown, keep: KeptPointers = {}): void {
    for (const [name, at] of Object.entries(keep)) {
      const value = valueAt(found, at)
      if (value === undefined) throw new Error(`There is nothing at ${at}`)
      this.values.set(name, value)
    }
  }

  /** Whether every place in it has a value. */
  #knows(value: unknown): boolean {
    return [...JSON.stringify(value).matchAll(/\$\{(\w+)\}/g)].every(([, name]) => this.values.has(name ?? ''))
  }

  #filled<T>(value: T): T {
    const fill = (text: string) => text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => this.#value(name))
    return JSON.parse(JSON.stringify(value), (_, one: unknown) => (typeof one === 'string' ? fill(one) : one)) as T
  }

  #value(name: string): string {
    const value = this.values.get(name)
    if (typeof value !== 'string') throw new Error(`No step kept ${name}`)
    return value
  }
}

/** The code of a refusal, null for a success. Throws for a failure without code. */
function codeOf({ isError, _meta, content }: CallToolResult): string | null {
  if (!isError) return null
  const problem = _meta?.['problem'] as { code?: string } | undefined
  if (problem?.code === undefined) throw new Error(JSON.stringify(content))
  return problem.code
}

/** Source: RFC 6901. Undefined where there is nothing. */
function valueAt(value: unknown, pointer: string): unknown {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | null | undefined)?.[step], value)
}
