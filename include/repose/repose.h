/* All of Repose. */
#ifndef REPOSE_H
#define REPOSE_H

#include "repose/base.h"
#include "repose/body.h"
#include "repose/export.h"
#include "repose/film.h"
#include "repose/query.h"
#include "repose/record.h"
#include "repose/run.h"
#include "repose/save.h"
#include "repose/scene.h"
#include "repose/view.h"
#include "repose/world.h"

#endif
