/** One size of a picture, as WebP. */
export interface PictureForm {
  width: number
  height: number
  /** SHA-256 of the body. */
  hash: Buffer
  body: Buffer
}

/**
 * Why a picture could not be fetched: the host did not give it, it is none of the kinds that pages show, it has too many
 * pixels, it cannot be read, or the share of the organization is used up.
 */
export type PictureFailure = 'no_answer' | 'not_a_picture' | 'too_many_pixels' | 'unreadable' | 'share_used'
