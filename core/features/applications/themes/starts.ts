import type { LookName, Theme } from './theme.schema.ts'

/** A finished look to start from: everything but what only the brand can say, such as its logo and its texts. */
type Start = Pick<Theme, 'look' | 'mode' | 'primaryColor' | 'secondaryColor' | 'googleFont' | 'sections'>

/**
 * The finished looks. Each sets type, colours, mode and the order of sections together, so that a brand has pages that
 * fit together with one choice; every member can be changed afterwards.
 */
export const starts: Readonly<Record<LookName, Required<Start>>> = {
  quiet: {
    look: 'quiet',
    mode: 'auto',
    primaryColor: '#1d1b19',
    secondaryColor: '#b59b6a',
    googleFont: 'Jost',
    sections: ['story', 'materials', 'origin', 'care', 'repair'],
  },
  bold: {
    look: 'bold',
    mode: 'auto',
    primaryColor: '#1f1fd1',
    secondaryColor: '#ff5a36',
    googleFont: 'Archivo',
    sections: ['performance', 'materials', 'repair', 'recycling', 'care'],
  },
  editorial: {
    look: 'editorial',
    mode: 'light',
    primaryColor: '#7a2430',
    secondaryColor: '#b08d57',
    googleFont: 'Cormorant Garamond',
    sections: ['story', 'origin', 'people', 'materials', 'care'],
  },
}
