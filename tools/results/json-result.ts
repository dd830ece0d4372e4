import { showInvisible } from '../arguments/show-invisible.ts'
import { isRecord } from '../openapi.ts'
import type { ContentBlock } from './blocks.ts'
import { cutJson, formatCuts, maxListedCuts } from './cut-json.ts'
import { maskSecrets, type SecretPlaces } from './secrets.ts'
import { setPlainContent, setStructureText } from './structure-texts.ts'
import { cutShownText, maxShownBytes, type ShownText } from './text-parts.ts'

/** A JSON body as its text and as its value, in which no number was changed. */
export interface JsonBody {
  readonly text: string
  readonly value: unknown
}

export interface JsonResultOptions {
  /** Structured content that is not an object is put under `result`. */
  readonly wrapsStructure: boolean
  readonly secrets: SecretPlaces | null
  /** Creates the links to what follows after the first `end` bytes of the body; empty if nothing can be read again. */
  readonly createRestLinks: (end: number) => ContentBlock[]
}

interface JsonResult {
  content: ContentBlock[]
  structuredContent?: unknown
  _meta?: Record<string, unknown>
}

/**
 * Puts a JSON body into a result, as text and as structured content. A secret stands in the structured content only.
 * Of a body larger than 256 KiB, the text is the first part, and the structured content has the first entries of its
 * long lists, which `_meta.cuts` and the text say; links lead to the rest. Without a link the structured content is
 * whole, because what was left out would be lost.
 * @param result gets the members; blocks that it has already are removed
 */
export function putJsonBody(result: JsonResult, body: JsonBody, options: JsonResultOptions): void {
  const { wrapsStructure, secrets, createRestLinks } = options
  const structure = wrapsStructure && !isRecord(body.value) ? { result: body.value } : body.value
  const text = secrets === null ? body.text : JSON.stringify(maskSecrets(body.value, secrets))
  const shown = cutJsonText(text)
  const isWhole = shown.end === shown.size
  const isLarge = (secrets === null ? shown.size : Buffer.byteLength(body.text)) > maxShownBytes
  // A secret is only masked in the text, so the end of what is shown is another place of the body.
  const links = isWhole && !isLarge ? [] : createRestLinks(secrets === null ? shown.end : 0)
  const isCut = isLarge && links.length > 0
  const { value, cuts } = isCut ? cutJson(structure, maxShownBytes) : { value: structure, cuts: [] }
  result.structuredContent = value
  if (cuts.length > 0) result._meta = { ...result._meta, cuts: cuts.slice(0, maxListedCuts) }
  const first: ContentBlock = { type: 'text', text: shown.text }
  const rest = isCut ? formatRest(cuts) : 'The whole is in structuredContent.'
  const note: ContentBlock = { type: 'text', text: `The first ${shown.end} of ${shown.size} bytes. ${rest}` }
  result.content = isWhole ? [first] : [first, note, ...links]
  setStructureText(result, value === body.value && !isCut ? body.text : null)
  if (secrets === null && (isWhole || isCut)) return setPlainContent(result, null)
  const plain: ContentBlock = {
    type: 'text',
    text: isCut ? cutShownText(body.text, true).text : showInvisible(body.text, true),
  }
  setPlainContent(result, isCut ? [plain, ...links] : [plain])
}

/**
 * Cuts a text that is known to be JSON. Control characters are escapes in it, so of the characters of ASCII only DEL would
 * have to be made visible, and nothing has to be searched in most answers.
 */
function cutJsonText(text: string): ShownText {
  const size = Buffer.byteLength(text)
  const isPlain = size === text.length && size <= maxShownBytes && !text.includes('\u007f')
  return isPlain ? { text, end: size, size } : cutShownText(text, true)
}

const formatRest = (cuts: Parameters<typeof formatCuts>[0]) =>
  cuts.length === 0
    ? 'The whole is in structuredContent.'
    : `${formatCuts(cuts, 'structuredContent')} Read the rest by the link, or ask for fewer rows or members.`
