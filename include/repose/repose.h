/* All public headers of Repose. docs/guide/library.md is the guide to them. */
#ifndef REPOSE_H
#define REPOSE_H

#include "repose/base.h"
#include "repose/bench.h"
#include "repose/body.h"
#include "repose/export.h"
#include "repose/figures.h"
#include "repose/film.h"
#include "repose/measure.h"
#include "repose/params.h"
#include "repose/picture.h"
#include "repose/plot.h"
#include "repose/query.h"
#include "repose/record.h"
#include "repose/run.h"
#include "repose/sample.h"
#include "repose/save.h"
#include "repose/scene.h"
#include "repose/scene_info.h"
#include "repose/text.h"
#include "repose/validate.h"
#include "repose/view.h"
#include "repose/words.h"
#include "repose/world.h"

#endif
