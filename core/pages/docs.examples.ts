import type { OpenAPIV3_1 as OpenApi } from 'openapi-types'

type Schema = OpenApi.SchemaObject & { $ref?: string }

type Described = OpenApi.OperationObject & { 'x-access'?: string }

/** A `curl` line for an operation, with the body that the document shows as an example. */
export function example(
  method: string, path: string, described: Described, document: OpenApi.Document, baseUrl: string,
): string {
  const variable = (_: string, name: string) => `$${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`
  const address = `${baseUrl}${path.replace(/\{(\w+)\}/g, variable)}${asked(described, variable)}`
  const lines = [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} "${address}"`, ...credential(described), ...reading(described),
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

/** The query parameters that there is no doing without. */
function asked({ parameters = [] }: Described, variable: (_: string, name: string) => string): string {
  const query = (parameters as OpenApi.ParameterObject[]).filter((one) => one.in === 'query' && one.required)
    .map(({ name, schema }) => `${name}=${(schema as Schema).enum?.[0] ?? variable('', name)}`)
  return query.length === 0 ? '' : `?${query.join('&')}`
}

/** Routes of people take a session; a key is refused there. */
function credential({ 'x-access': access }: Described): string[] {
  if (access === 'public') return []
  const person = access === 'endUser' || access === 'member' || access === 'session'
  return [person ? '-H "Authorization: Bearer $SESSION"' : '-H "X-Api-Key: $API_KEY"']
}

/** How `curl` takes an answer that is no JSON: a stream as it comes, an image into a file. */
function reading({ responses }: Described): string[] {
  const answer = Object.values(responses ?? {})[0] as OpenApi.ResponseObject | undefined
  const [type = ''] = Object.keys(answer?.content ?? {})
  if (type === 'text/event-stream') return ['-N -H "Accept: text/event-stream"']
  return type.startsWith('image/') ? [`-o answer.${type.slice('image/'.length)}`] : []
}
