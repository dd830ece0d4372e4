import type { OperationDeclaration, Operation } from '../../kernel/operation.ts'
import { defaultPageRequest } from '../../kernel/page.ts'
import { uuid, type TSchema } from '../../kernel/schema.ts'
import { createBodyReader, parseBody, type BodyKind, type BodyReader } from '../body/body.ts'
import { createUploadReader, type UploadReader } from '../body/upload.ts'
import type { IssueCollector } from '../problems/issue-collector.ts'
import { createFieldsParser, fieldsParameterName, getSelectableSchema, type FieldsParser } from '../query/fields.ts'
import { parsePageRequest, splitQuery } from '../query/page-request.ts'
import { parseQuery, toPlainParameters, type QueryParameter } from '../query/parameters.ts'
import { getSuccessStatus } from './present-value.ts'
import type { ValidatedRequest } from './run-handler.ts'
import {
  createBodyValidator,
  createParameterValidator,
  type BodyValidator,
  type ParameterValidator,
} from './validate.ts'

/** Maximum size of a JSON body in bytes, unless its operation declares another. */
const defaultMaxBodyBytes = 1024 * 1024
export const emptyBytes = Buffer.alloc(0)
/** How the bodies of a route are read and validated. */
interface MountedBody {
  kind: BodyKind
  read: BodyReader
  validate: BodyValidator
  defaultValue: unknown
}

/** An operation with all its validators and readers compiled. */
export interface CompiledOperation {
  operation: Operation
  validateParams: ParameterValidator
  validateQuery: ParameterValidator
  /** Null if the members of the answer cannot be selected. */
  parseFields: FieldsParser | null
  body: MountedBody | null
  upload: UploadReader
  isEventStream: boolean
  /** Whether a thread validates the body. */
  runsInThread: boolean
}

/** Compiles the validators and readers of an operation. @throws Error for a schema that does not compile */
export function compileOperation(operation: Operation, runsInThread: boolean): CompiledOperation {
  const { declaration } = operation
  const names = [...declaration.path.matchAll(/[:*](\w+)/g)].map((match) => match[1] as string)
  const params = Object.fromEntries(
    names.map((name) => [name, declaration.params?.[name] ?? uuid(`The ${name} of the path.`)]),
  )
  const selectableSchema = getSelectableSchema(declaration)
  const success = declaration.returns[getSuccessStatus(declaration)]
  return {
    operation,
    validateParams: createParameterValidator(params),
    validateQuery: createParameterValidator(
      (declaration.query ?? {}) as Record<string, TSchema>,
      allowsUnknownParameters(declaration),
    ),
    parseFields: selectableSchema && createFieldsParser(selectableSchema),
    body: declaration.body ? compileBody(declaration, declaration.body) : null,
    upload: createUploadReader(declaration),
    runsInThread,
    isEventStream:
      success !== null && typeof success === 'object' && 'type' in success && success.type === 'text/event-stream',
  }
}

/**
 * Checks whether unknown query parameters are ignored. Links to pages are shared, and others add parameters such as
 * `utm_source`, which is no fault of the person who follows the link.
 */
const allowsUnknownParameters = ({ transport: { page, allowsUnknownQuery } }: OperationDeclaration): boolean =>
  page !== undefined || allowsUnknownQuery === true

function compileBody(
  {
    method,
    transport: { page, maxBodyBytes: maxBytes = defaultMaxBodyBytes, tooLargeCode = 'PAYLOAD_TOO_LARGE' },
  }: OperationDeclaration,
  schema: TSchema,
): MountedBody {
  const kind = page ? 'form' : method === 'PATCH' ? 'patch' : 'json'
  return {
    kind,
    read: createBodyReader({ maxBytes, tooLargeCode, kind }),
    validate: createBodyValidator(schema),
    defaultValue: (schema as { default?: unknown }).default,
  }
}

/** The parts of a request that its address carries. */
export type AddressParts = Pick<ValidatedRequest, 'query' | 'page' | 'selection'> & { params: Record<string, unknown> }

/** Parses and validates the parameters of a request. What is wrong is added to `issues`. */
export function parseAddress(
  compiled: CompiledOperation,
  { params, querystring }: { params: Record<string, string>; querystring: string },
  issues: IssueCollector,
): AddressParts {
  const { list } = compiled.operation.declaration
  const paramValues: Record<string, unknown> = { ...params }
  compiled.validateParams(paramValues, issues)
  const { ofFields, others } = splitFields(parseQuery(querystring), compiled)
  const { ofList, own } = list ? splitQuery(others) : { ofList: [], own: others }
  const page = list ? parsePageRequest(ofList, list, issues) : defaultPageRequest
  const selection = compiled.parseFields?.(ofFields, issues) ?? null
  const query = toPlainParameters(own)
  compiled.validateQuery(query, issues)
  return { params: paramValues, query, page, selection }
}

/** Separates `fields` from the other parameters of an operation that has it. */
function splitFields(
  parameters: QueryParameter[],
  { parseFields }: CompiledOperation,
): { ofFields: QueryParameter[]; others: QueryParameter[] } {
  const isFields = ({ name }: QueryParameter) => name === fieldsParameterName
  if (!parseFields || !parameters.some(isFields)) return { ofFields: [], others: parameters }
  return {
    ofFields: parameters.filter(isFields),
    others: parameters.filter((parameter) => !isFields(parameter)),
  }
}

/** Parses and validates a body. What is wrong is added to `issues`. */
export function parseValidBody(
  { kind, validate, defaultValue }: MountedBody,
  bytes: Buffer,
  issues: IssueCollector,
): unknown {
  if (bytes.length === 0 && defaultValue !== undefined) return structuredClone(defaultValue)
  const body = parseBody(bytes, kind, issues)
  if (body !== undefined) validate(body, bytes.length, issues)
  return body
}
