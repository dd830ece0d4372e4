import { instant, integer, nullable, object, uuid, type Static } from '../../../core/kernel/schema.ts'

const grams = integer('What the sender says that it weighs.', { minimum: 1, examples: [250] })

export const NewParcel = object(
  { application: uuid('The application that sends the parcel.'), grams },
  { title: 'NewParcel', description: 'A parcel to send.' },
)

export const Parcel = object(
  {
    id: uuid('Identifier of the parcel.'),
    application: uuid('The application that sends it.'),
    grams,
    weighedAt: nullable(instant('When it was weighed.')),
  },
  { title: 'Parcel', description: 'A parcel that was sent.' },
)
export type Parcel = Static<typeof Parcel>
