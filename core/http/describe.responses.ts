import { codes, type Code } from '../kernel/codes.ts'
import type { Declaration, Media } from '../kernel/operation.ts'
import { Type, object, type TSchema } from '../kernel/schema.ts'
import type { Parts, Shared } from './describe.schemas.ts'
import { byMember } from './examples/members.ts'
import type { Plain } from './examples/sample.ts'
import { successOf } from './present.ts'
import { pipelineCodes } from './problems.codes.ts'

export const ProblemSchema = object(
  {
    type: Type.String({ description: 'Address of a page about the code, or about:blank.' }),
    title: Type.String({ description: 'Short English name of the status or code.' }),
    status: Type.Integer({ description: 'HTTP status code of this answer.' }),
    detail: Type.String({ description: 'What went wrong, in English.' }),
    instance: Type.String({ description: 'Path of the request.' }),
    code: Type.Optional(Type.String({ description: 'Stable code; absent on 5xx.' })),
    errors: Type.Optional(
      Type.Array(
        object(
          {
            path: Type.String({ description: 'Dotted path of the value, as fields.serialNumber.' }),
            code: Type.String({ description: 'Stable code of the violation.' }),
            message: Type.String({ description: 'What is wrong with the value, in English.' }),
          },
          { title: 'Violation', description: 'One violation inside a request.' },
        ),
        { description: 'Every violation found.' },
      ),
    ),
    permission: Type.Optional(
      object(
        {
          resource: Type.String({ description: 'Resource of the missing pair.' }),
          action: Type.String({ description: 'Action of the missing pair.' }),
        },
        { title: 'MissingPermission', description: 'The pair that neither role nor key has.' },
      ),
    ),
    existing: Type.Optional(Type.String({ description: 'Identifier of the entity that is in the way.' })),
    passports: Type.Optional(Type.Integer({ description: 'How many passports are in the way.' })),
    samples: Type.Optional(
      Type.Array(
        object(
          { id: Type.String({ description: 'Its identifier.' }), name: Type.String({ description: 'Its name for people.' }) },
          { title: 'ProblemSample', description: 'One of the entities that are in the way.' },
        ),
        { description: 'The first of them.' },
      ),
    ),
    requestId: Type.String({ description: 'The X-Request-Id of this answer.' }),
  },
  { title: 'Problem', description: 'Problem details of RFC 9457.' },
)

const isMedia = (value: unknown): value is Media =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  'description' in value &&
  String((value as Media).type).includes('/')

function schemaOf({ binary, json, schema }: Media, shared: Shared): unknown {
  if (schema) return shared.lift(schema)
  if (json) return { type: 'object' }
  return binary ? { type: 'string', contentEncoding: 'binary' } : { type: 'string' }
}

/** The answer when all goes well, and those to who has it or has seen its end already. */
export function successResponse(declaration: Declaration, { shared, examples }: Parts): Record<string, unknown> {
  const status = successOf(declaration)
  const returned = declaration.returns[status] ?? null
  const medias =
    returned === null
      ? []
      : isMedia(returned)
        ? [returned]
        : Array.isArray(returned)
          ? (returned as readonly Media[])
          : null
  const content = medias
    ? Object.fromEntries(
        medias.map((media) => [
          media.type,
          { schema: schemaOf(media, shared), ...examples.of((media.schema ?? null) as Plain | null, declaration.id, media.type) },
        ]),
      )
    : { 'application/json': { schema: shared.lift(returned as TSchema), ...examples.of(returned as Plain, declaration.id, 'application/json') } }
  const more: Record<string, unknown> = {}
  if (declaration.etag && declaration.method === 'GET')
    more['304'] = { description: 'You have this representation already.' }
  if (medias?.[0]?.type === 'text/event-stream')
    more['204'] = { description: 'The last event you saw was the terminal one.' }
  return {
    [status]: {
      description: medias?.[0]?.description ?? successText[status] ?? 'Done.',
      ...(returned !== null && { content }),
      ...((status === 201 || status === 202) && { headers: { Location: locationOf(declaration, status) } }),
    },
    ...Object.fromEntries(
      Object.entries(declaration.returns)
        .filter(([other]) => Number(other) !== status)
        .map(([other, schema]) => [other, jsonResponse(declaration, Number(other), schema as TSchema, { shared, examples })]),
    ),
    ...more,
  }
}

/** A success beside the first: JSON always. */
const jsonResponse = (declaration: Declaration, status: number, schema: TSchema, { shared, examples }: Parts) => ({
  description: successText[status] ?? 'Done.',
  content: {
    'application/json': { schema: shared.lift(schema), ...examples.of(schema as Plain, declaration.id, 'application/json') },
  },
  ...((status === 201 || status === 202) && { headers: { Location: locationOf(declaration, status) } }),
})

const locationOf = ({ path }: Declaration, status: number) => ({
  description: 'Where to read it.',
  schema: { type: 'string' },
  example: status === 202 ? `/v1/jobs/${String(byMember['jobId'])}` : `${path}/${String(byMember['id'])}`,
})

const successText: Record<number, string> = {
  200: 'The answer.',
  201: 'Created.',
  202: 'Accepted; the work goes on as a job.',
  204: 'Done.',
}

/** Every refusal, by status, with the codes it can carry. */
export function problemResponses(declaration: Declaration, { examples }: Parts): Record<string, unknown> {
  const byStatus = new Map<number, Code[]>()
  for (const code of new Set([...pipelineCodes(declaration), ...(declaration.problems ?? [])])) {
    byStatus.set(codes[code].status, [...(byStatus.get(codes[code].status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, list]) => [
        status,
        {
          description: list.map((code) => `${code}: ${codes[code].title}.`).join(' '),
          'x-codes': [...list].sort(),
          content: {
            'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, ...examples.ofProblems(list) },
          },
        },
      ]),
  )
}
