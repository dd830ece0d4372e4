import { integer, object, oneOf, string, uuid, type Static } from '../../../kernel/schema.ts'
import { formTypes, maxBase64Length, maxFormBytes } from './opt-in.rules.ts'

export const NewOptInForm = object(
  {
    application: uuid('Its application.'),
    fileName: string('File name without folder; not kept.', { minLength: 1, maxLength: 255 }),
    contentType: oneOf(formTypes, 'As its first bytes say.'),
    content: string(`Padded base64; at most ${maxFormBytes / 1024 ** 2} MiB.`, {
      minLength: 4,
      maxLength: maxBase64Length,
    }),
  },
  { title: 'NewOptInForm', description: 'A signed form to keep.' },
)
export type NewOptInForm = Static<typeof NewOptInForm>

export const OptInForm = object(
  {
    uri: string('`ipfs://` and the content identifier: the same bytes have the same one.', {
      pattern: '^ipfs://b[a-z2-7]+$',
    }),
    size: integer('Bytes of the file.', { minimum: 1, maximum: maxFormBytes }),
  },
  { title: 'OptInForm', description: 'Where the form is kept.' },
)
export type OptInForm = Static<typeof OptInForm>
