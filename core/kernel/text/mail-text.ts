/** A link that stands alone in a mail. */
export interface MailLink {
  /** What its button says. */
  label: string
  address: string
}

/** A sentence that tells a one-time code. */
export interface MailCode {
  code: string
  /** The whole sentence, which contains the code. */
  sentence: string
}

/** A part of a mail: a paragraph, a link or a sentence with a code. */
export type MailPart = string | MailLink | MailCode

/** Formats the parts of a mail as plain text, which has the addresses of links and not what their buttons say. */
export const formatMailText = (parts: readonly MailPart[]): string => `${parts.map(formatPart).join('\n\n')}\n`

function formatPart(part: MailPart): string {
  if (typeof part === 'string') return part
  return 'code' in part ? part.sentence : part.address
}
