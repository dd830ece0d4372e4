import type { IncomingMessage } from 'node:http'

/** A request to the stand-in: its parameters as flat names, `metadata[organization]`. */
export interface StripeRequest {
  method: string
  path: string
  parameters: Readonly<Record<string, string>>
  idempotencyKey: string | null
}

/** A refusal as the real API answers it. Source: Stripe API, "Errors". */
export class StripeRefusal extends Error {
  readonly status: number
  readonly body: { error: Record<string, unknown> }
  constructor(status: number, error: Record<string, unknown>) {
    super(String(error['message']))
    this.status = status
    this.body = { error: { type: 'invalid_request_error', ...error } }
  }
}

/** The version of the API that the library of this project speaks. */
const apiVersion = '2026-10-28.endive'

/** Reads a request. @throws StripeRefusal for a wrong key, an unknown version or another form of the body */
export async function readStripeRequest(message: IncomingMessage, secretKey: string): Promise<StripeRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  const { authorization, 'stripe-version': version, 'content-type': type, 'idempotency-key': key } = message.headers
  if (authorization === undefined) throw new StripeRefusal(401, { message: 'You did not provide an API key.' })
  if (authorization !== `Bearer ${secretKey}`)
    throw new StripeRefusal(401, { message: 'Invalid API Key provided: sk_test_****' })
  if (version !== apiVersion)
    throw new StripeRefusal(400, { message: `Invalid Stripe API version: ${String(version)}` })
  const url = new URL(message.url ?? '/', 'http://stripe.invalid')
  const { method = 'GET' } = message
  if (method === 'POST' && type !== 'application/x-www-form-urlencoded')
    throw new StripeRefusal(400, { message: `Invalid content type ${String(type)}` })
  if (typeof key === 'string' && key.length > 255)
    throw new StripeRefusal(400, { message: 'Idempotency keys have at most 255 characters.' })
  const sent = method === 'POST' ? new URLSearchParams(Buffer.concat(chunks).toString()) : url.searchParams
  return {
    method,
    path: url.pathname,
    parameters: Object.fromEntries(sent),
    idempotencyKey: typeof key === 'string' ? key : null,
  }
}

/** What a parameter may be; a name that ends in `[]` stands for all keys of its hash. */
export type ParameterRules = Readonly<Record<string, { isRequired?: boolean; pattern?: RegExp }>>

/** Checks the parameters of a request. @throws StripeRefusal for an unknown, a missing or a wrong one */
export function checkParameters({ parameters }: StripeRequest, rules: ParameterRules): void {
  for (const [name, value] of Object.entries(parameters)) {
    const rule = rules[name] ?? rules[name.replace(/\[\w+\]$/, '[]')]
    const param = { param: name }
    if (!rule)
      throw new StripeRefusal(400, {
        code: 'parameter_unknown',
        message: `Received unknown parameter: ${name}`,
        ...param,
      })
    if (value === '')
      throw new StripeRefusal(400, {
        code: 'parameter_invalid_empty',
        message: `You passed an empty ${name}`,
        ...param,
      })
    if (rule.pattern && !rule.pattern.test(value))
      throw new StripeRefusal(400, { message: `Invalid ${name}: ${value}`, ...param })
  }
  for (const [name, { isRequired }] of Object.entries(rules))
    if (isRequired && parameters[name] === undefined)
      throw new StripeRefusal(400, {
        code: 'parameter_missing',
        message: `Missing required param: ${name}.`,
        param: name,
      })
}
