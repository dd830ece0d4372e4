import type { Knex } from 'knex'
import type { Context } from '../../../../kernel/work.ts'
import type { findApplication } from '../../../applications/index.ts'
import { findLogo, fitPicture, readLogoForm, writePicture } from '../../../dpp/index.ts'
import type { ArchivedFile } from './archive.ts'
import { drawMonogram } from './monogram.ts'
import { getPassColours } from './pass.ts'

export type PassApplication = NonNullable<Awaited<ReturnType<typeof findApplication>>>

/** The boxes of pictures in points. Source: Apple, Human Interface Guidelines, "Wallet". */
const iconSide = 29
const logoBox = { width: 160, height: 50 } as const
const scales = [1, 2, 3] as const

const getSuffix = (scale: number) => (scale === 1 ? '' : `@${scale}x`)

/** Names the logo that an application has now; null if it has none, or none yet. */
export async function findLogoHash(
  db: Knex,
  context: Pick<Context, 'notices'>,
  application: PassApplication,
): Promise<string | null> {
  const logo = await findLogo(db, context, application)
  return /([0-9a-f]{64})\.webp$/.exec(logo?.at(-1)?.path ?? '')?.[1] ?? null
}

/** Makes the pictures of an application's passes: of its logo, else a letter of its name. */
export async function makePictures(
  db: Knex,
  { id, name, theme }: PassApplication,
  logoHash: string | null,
): Promise<ArchivedFile[]> {
  const { paper, ink } = getPassColours(theme)
  const form = logoHash === null ? null : await readLogoForm(db, id, logoHash)
  const files: ArchivedFile[] = []
  for (const scale of scales) {
    const side = iconSide * scale
    const box = { width: side, height: side }
    const icon = form
      ? await fitPicture({ ...box, background: '#ffffff' }, form)
      : await writePicture(drawMonogram(theme.title ?? name, side, { paper, ink }), box)
    files.push({ name: `icon${getSuffix(scale)}.png`, body: icon })
    if (!form) continue
    const logo = await fitPicture({ width: logoBox.width * scale, height: logoBox.height * scale }, form)
    files.push({ name: `logo${getSuffix(scale)}.png`, body: logo })
  }
  return files
}
