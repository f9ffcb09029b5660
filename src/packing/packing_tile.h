/* The tile of the relaxed packing, numbers that the library shares with the program that makes it.
 */
#ifndef RP_PACKING_TILE_H
#define RP_PACKING_TILE_H

#define RP_TILE 12         /* sites along each edge */
#define RP_TILE_REACH 0.75 /* the longest shift along an axis, in spacings */
#define RP_TILE_UNIT 16384 /* numbers of the table for one spacing */

#endif
