/* The tile of the relaxed packing, as the program that makes it and the library share it. */
#ifndef RP_WORLD_PACKING_TILE_H
#define RP_WORLD_PACKING_TILE_H

#define RP_TILE 12         /* places along each edge */
#define RP_TILE_REACH 0.75 /* the longest shift along an axis, in spacings */
#define RP_TILE_UNIT 16384 /* numbers of the table for one spacing */

#endif
