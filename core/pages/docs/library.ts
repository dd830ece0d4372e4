import { readFileSync } from 'node:fs'
import { answerText } from '../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { immutable } from '../site/served-files.ts'

/**
 * The library that shows the reference: Scalar's API reference (MIT), as `@scalar/fastify-api-reference` carries it.
 *
 * It is the one of its kind that is released every few weeks and has everything that readers look for in one file:
 * a search by keyboard, an address for each operation, a form that sends requests with the reader's own key, and
 * samples in some twenty languages. It reads OpenAPI 3.1, runs without `eval`, and with the settings of
 * `assets/reference.js` it loads nothing from anywhere else. The others that were looked at: Redoc sends no requests
 * and reports its use unless told otherwise; Elements has no search and installs a gigabyte; RapiDoc was last released
 * more than a year ago; Swagger UI searches tags only and installs a package that reports installations.
 *
 * The same file is in `@scalar/api-reference`, which installs 189 packages of 310 MB besides, the parts that the file
 * was built from. The plugin for Fastify has the file and 15 packages of 14 MB, so this is the way that costs least. We
 * have no Fastify: the plugin is given what it asks of one, and its route of the file is called once.
 */
const packageName = '@scalar/fastify-api-reference'

const libraryVersion = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.resolve(packageName)), 'utf8')) as { version: string }
).version

/** The address of the library. It has the version, so that browsers can keep the file for good. */
export const libraryPath = `/assets/scalar-${libraryVersion}.js`

/**
 * The styles that the library puts into the page as elements, as their SHA-256 in base64: its own, those of its
 * notices, its theme, and those of the form that sends requests (the last is an empty one). They change with its
 * version; a browser that refuses one logs the hash that it expects, and `test/pages/docs` fails.
 */
export const libraryStyleHashes: readonly string[] = [
  'SdwVUZnWy8xuzu9alwp9UnSB2w2COBuIILA4H0uPqJM=',
  'l/2OpPg0d+2VLTLgwjf5mQo2CYwHDEqdj5TjbfEyVJI=',
  'T13Uev3xCax2N28XaoAE8DOzQZKvPp7ZQVAi1iRREjo=',
  'gmXByKZQ55+6LD1IX9vtDPBwThIQbraY9EGJSFapMGc=',
  '5aYZjEQUL/uZ8QitcdPDMQtgHyi61hB60cNYV6L0hHI=',
  '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
]

/** The parts of Fastify that the plugin uses for its routes. */
interface PluginHost {
  initialConfig: object
  hasPlugin: () => boolean
  route: (route: { url: string; handler: (request: object, reply: PluginReply) => unknown }) => void
}
interface PluginReply {
  header: () => PluginReply
  send: (text: string) => void
}
type Plugin = (host: PluginHost, options: { configuration: { url: string } }, done: () => void) => void

/** The library, once a reader has asked for it. */
let librarySource: Promise<string> | undefined

/** Reads the library out of its package. @throws Error if the package no longer has a route for it */
async function readLibrary(): Promise<string> {
  const { default: registerPlugin } = (await import('@scalar/fastify-api-reference')) as unknown as { default: Plugin }
  let source: string | undefined
  const reply: PluginReply = { header: () => reply, send: (text) => void (source = text) }
  const host: PluginHost = {
    initialConfig: {},
    hasPlugin: () => false,
    route: ({ url, handler }) => void (url.endsWith('.js') && handler({}, reply)),
  }
  registerPlugin(host, { configuration: { url: '/openapi.json' } }, () => undefined)
  if (source === undefined) throw new Error(`${packageName} ${libraryVersion} has no route for its script`)
  // The file names a map that is not served, and browsers with open developer tools would ask for it.
  return source.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n')
}

export const libraryOperation: Operation = declareOperation({
  id: 'asset_scalar_v1',
  method: 'GET',
  path: libraryPath,
  access: 'public',
  returns: { 200: { type: 'text/javascript', description: 'The file.' } },
  transport: { page: true, isFile: true },
  document: { tag: 'Pages', summary: 'The library of the API reference' },
}).withReadHandler(async () =>
  answerText(await (librarySource ??= readLibrary()), 'text/javascript; charset=utf-8', immutable),
)
