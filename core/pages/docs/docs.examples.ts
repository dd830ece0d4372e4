import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'

type Schema = OpenApi.SchemaObject & { $ref?: string }

type DescribedOperation = OpenApi.OperationObject & { 'x-access'?: string }

/** Formats a `curl` command for an operation, with the body that the OpenAPI document has as an example. */
export function formatExample(
  method: string,
  path: string,
  described: DescribedOperation,
  document: OpenApi.Document,
  baseUrl: string,
): string {
  const variable = (_: string, name: string) => `$${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
  const address = `${baseUrl}${path.replace(/\{(\w+)\}/g, variable)}${formatQuery(described, variable)}`
  const lines = [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} "${address}"`,
    ...listCredentialOptions(described),
    ...listOutputOptions(described),
  ]
  const body = described.requestBody as OpenApi.RequestBodyObject | undefined
  const [shown] = Object.keys((body?.required && body.content['application/json']?.examples) || {})
  if (shown !== undefined) {
    const { value } = document.components?.examples?.[shown] as OpenApi.ExampleObject
    const text = JSON.stringify(value).replaceAll("'", '’')
    lines.push('-H "Content-Type: application/json"', `-d '${text}'`)
  }
  return lines.join(' \\\n  ')
}

/** Formats the required query parameters. */
function formatQuery({ parameters = [] }: DescribedOperation, variable: (_: string, name: string) => string): string {
  const query = (parameters as OpenApi.ParameterObject[])
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name, schema }) => `${name}=${(schema as Schema).enum?.[0] ?? variable('', name)}`)
  return query.length === 0 ? '' : `?${query.join('&')}`
}

/** Lists the options for credentials: operations for people take a session and refuse a key. */
function listCredentialOptions({ 'x-access': access }: DescribedOperation): string[] {
  if (access === 'public') return []
  const person = access === 'endUser' || access === 'member' || access === 'session'
  return [person ? '-H "Authorization: Bearer $SESSION"' : '-H "X-Api-Key: $API_KEY"']
}

/** Lists the options for answers that are not JSON: a stream is shown as it arrives, an image goes to a file. */
function listOutputOptions({ responses }: DescribedOperation): string[] {
  const answer = Object.values(responses ?? {})[0] as OpenApi.ResponseObject | undefined
  const [type = ''] = Object.keys(answer?.content ?? {})
  if (type === 'text/event-stream') return ['-N -H "Accept: text/event-stream"']
  return type.startsWith('image/') ? [`-o answer.${type.slice('image/'.length)}`] : []
}
