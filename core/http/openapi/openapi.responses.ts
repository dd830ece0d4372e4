import { problemCodes, type ProblemCode } from '../../kernel/problem-codes.ts'
import type { OperationDeclaration, MediaContent } from '../../kernel/operation.ts'
import { Type, object, type TSchema } from '../../kernel/schema.ts'
import type { DocumentComponents, SharedSchemas } from './openapi.schemas.ts'
import { examplesByMember } from './examples/members.ts'
import type { JsonSchema } from './examples/create-example.ts'
import { getSuccessStatus } from '../pipeline/present-value.ts'
import { listPipelineCodes } from '../problems/problems.codes.ts'

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
    existingIds: Type.Optional(Type.Array(Type.String(), { description: 'All of them, if more than one is.' })),
    available: Type.Optional(Type.String({ description: 'How many points there are.' })),
    passports: Type.Optional(Type.Integer({ description: 'How many passports are in the way.' })),
    samples: Type.Optional(
      Type.Array(
        object(
          {
            id: Type.String({ description: 'Its identifier.' }),
            name: Type.String({ description: 'Its name for people.' }),
          },
          { title: 'ProblemSample', description: 'One of the entities that are in the way.' },
        ),
        { description: 'The first of them.' },
      ),
    ),
    missing: Type.Optional(
      Type.Array(
        object(
          {
            id: Type.String({ description: 'Name of the document.' }),
            version: Type.String({ description: 'Its current version.' }),
            title: Type.String({ description: 'Its title.' }),
            url: Type.String({ format: 'uri', description: 'Page that shows it.' }),
          },
          { title: 'MissingDocument', description: 'A legal document that has to be accepted first.' },
        ),
        { description: 'The documents that are not accepted yet.' },
      ),
    ),
    meter: Type.Optional(Type.String({ description: 'The meter whose units are used up.' })),
    limit: Type.Optional(
      Type.Union([Type.Integer(), Type.Null()], { description: 'How many units the plan allows a month.' }),
    ),
    resetsAt: Type.Optional(Type.String({ format: 'date-time', description: 'When the next month begins.' })),
    requestId: Type.String({ description: 'The X-Request-Id of this answer.' }),
  },
  { title: 'Problem', description: 'Problem details of RFC 9457.' },
)

const isMediaContent = (value: unknown): value is MediaContent =>
  typeof value === 'object'
  && value !== null
  && 'type' in value
  && 'description' in value
  && String((value as MediaContent).type).includes('/')

function describeMediaSchema({ isBinary, isJson, schema }: MediaContent, schemas: SharedSchemas): unknown {
  if (schema) return schemas.share(schema)
  if (isJson) return { type: 'object' }
  return isBinary ? { type: 'string', contentEncoding: 'binary' } : { type: 'string' }
}

/**
 * Describes the success responses: the first success status, further statuses, 304 for a client that already has this
 * version, and 204 for a client that has already received the last event.
 */
export function describeSuccess(
  declaration: OperationDeclaration,
  { schemas, examples }: DocumentComponents,
): Record<string, unknown> {
  const status = getSuccessStatus(declaration)
  const declared = declaration.returns[status] ?? null
  const medias =
    declared === null
      ? []
      : isMediaContent(declared)
        ? [declared]
        : Array.isArray(declared)
          ? (declared as readonly MediaContent[])
          : null
  const content = medias
    ? Object.fromEntries(
        medias.map((media) => [
          media.type,
          {
            schema: describeMediaSchema(media, schemas),
            ...examples.createReference((media.schema ?? null) as JsonSchema | null, declaration.id, media.type),
          },
        ]),
      )
    : {
        'application/json': {
          schema: schemas.share(declared as TSchema),
          ...examples.createReference(declared as JsonSchema, declaration.id, 'application/json'),
        },
      }
  const otherResponses: Record<string, unknown> = {}
  if (declaration.transport.hasEtag && declaration.method === 'GET')
    otherResponses['304'] = { description: 'You have this representation already.' }
  if (medias?.[0]?.type === 'text/event-stream')
    otherResponses['204'] = { description: 'The last event you saw was the terminal one.' }
  return {
    [status]: {
      description: medias?.[0]?.description ?? successTexts[status] ?? 'Done.',
      ...(declared !== null && { content }),
      ...((status === 201 || status === 202) && { headers: { Location: describeLocation(declaration, status) } }),
      ...(status === 302 && { headers: { Location: redirectLocation } }),
      ...describeLinks(declaration, status),
    },
    ...Object.fromEntries(
      Object.entries(declaration.returns)
        .filter(([other]) => Number(other) !== status)
        .map(([other, schema]) => [
          other,
          describeJsonResponse(declaration, Number(other), schema as TSchema, { schemas, examples }),
        ]),
    ),
    ...otherResponses,
  }
}

/** Describes a further success status, which always has a JSON body. */
const describeJsonResponse = (
  declaration: OperationDeclaration,
  status: number,
  schema: TSchema,
  { schemas, examples }: DocumentComponents,
) => ({
  description: successTexts[status] ?? 'Done.',
  content: {
    'application/json': {
      schema: schemas.share(schema),
      ...examples.createReference(schema as JsonSchema, declaration.id, 'application/json'),
    },
  },
  ...((status === 201 || status === 202) && { headers: { Location: describeLocation(declaration, status) } }),
  ...describeLinks(declaration, status),
})

/** Describes where the result of a started job is read. Source: OpenAPI 3.1, Link Object. */
function describeLinks({ document: { jobResult } }: OperationDeclaration, status: number): object {
  if (!jobResult || status !== 202) return {}
  const { name, operation: operationId } = jobResult
  const link = { operationId, parameters: { id: '$response.body#/jobId' }, 'x-mcp-result': true }
  return { links: { [name]: { ...link, description: 'What the job came to, once it has ended.' } } }
}

const describeLocation = ({ path }: OperationDeclaration, status: number) => ({
  description: 'Where to read it.',
  schema: { type: 'string' },
  example:
    status === 202 ? `/v1/jobs/${String(examplesByMember['jobId'])}` : `${path}/${String(examplesByMember['id'])}`,
})

const redirectLocation = { description: 'Where to go on.', schema: { type: 'string' } }

const successTexts: Record<number, string> = {
  200: 'The answer.',
  302: 'Go on at `Location`.',
  201: 'Created.',
  202: 'Accepted; the work goes on as a job.',
  204: 'Done.',
}

/** Describes the problem responses by status, with the codes of each. */
export function describeProblems(
  declaration: OperationDeclaration,
  { examples }: DocumentComponents,
): Record<string, unknown> {
  const byStatus = new Map<number, ProblemCode[]>()
  for (const code of new Set([...listPipelineCodes(declaration), ...(declaration.problemCodes ?? [])])) {
    byStatus.set(problemCodes[code].status, [...(byStatus.get(problemCodes[code].status) ?? []), code])
  }
  return Object.fromEntries(
    // An object lists members that are numbers by their size.
    [...byStatus].map(([status, codesOfStatus]) => [
      status,
      {
        description: codesOfStatus.map((code) => `${code}: ${problemCodes[code].title}.`).join(' '),
        'x-codes': [...codesOfStatus].sort(),
        content: {
          'application/problem+json': {
            schema: { $ref: '#/components/schemas/Problem' },
            ...examples.createProblemReferences(codesOfStatus),
          },
        },
      },
    ]),
  )
}
