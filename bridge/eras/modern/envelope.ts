import { isRecord } from '../../../tools/openapi.ts'
import type { Capabilities } from '../../methods/call.ts'
import { codes, modernCodes, ProtocolError } from '../../protocol-error.ts'
import { envelopeKeys, modernRevision } from '../classify.ts'

/**
 * What a request says of its sender. Source: MCP 2026-07-28, `_meta`.
 * @throws ProtocolError that names the member of `_meta` that is wrong, or UnsupportedProtocolVersion
 */
export function readEnvelope(meta: Readonly<Record<string, unknown>>): Capabilities {
  const version = meta[envelopeKeys.version]
  if (typeof version !== 'string') throw wrong(envelopeKeys.version, 'must be text')
  if (version !== modernRevision) {
    const data = { supported: [modernRevision], requested: version }
    throw new ProtocolError(modernCodes.unsupportedVersion, 'This revision is not spoken here', data)
  }
  const capabilities = meta[envelopeKeys.capabilities]
  if (!isRecord(capabilities)) throw wrong(envelopeKeys.capabilities, 'must be an object')
  return capabilities
}

const wrong = (key: string, what: string) =>
  new ProtocolError(codes.invalidParams, `params._meta[${JSON.stringify(key)}] ${what}`)
