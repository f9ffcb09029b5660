#include "scene/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LENGTH_MAX 60 /* longer words get no suggestion */

int rp_words_find(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int index = 0; length; index++) {
        size_t size = strcspn(words, "|");
        if (size == length && memcmp(words, word, length) == 0) return index;
        if (!words[size]) break;
        words += size + 1;
    }
    return -1;
}

int rp_words_count(const char *words)
{
    int count = *words != 0;
    for (; *words; words++)
        count += *words == '|';
    return count;
}

void rp_words_at(const char *words, int index, char *text, size_t size)
{
    while (index-- > 0)
        words += strcspn(words, "|") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(words, "|"), words);
}

void rp_words_list(const char *words, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < rp_words_count(words) && used < size; i++) {
        char word[64];
        rp_words_at(words, i, word, sizeof word);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", word);
    }
}

bool rp_words_meant(const char *spellings, const char *word, char *text, size_t size)
{
    for (int i = 0; i < rp_words_count(spellings); i++) {
        char pair[64];
        rp_words_at(spellings, i, pair, sizeof pair);
        char *meant = strchr(pair, '=');
        if (!meant) continue;
        *meant++ = 0;
        if (strcmp(pair, word) != 0) continue;
        snprintf(text, size, "%s", meant);
        return true;
    }
    return false;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Edit distance with swaps of neighbors, letters in either case being equal. */
static int edits_between(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][LENGTH_MAX + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= b_length; j++)
        last[j] = j;
    for (int i = 1; i <= a_length; i++) {
        now[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            now[j] = least(last[j] + 1, least(now[j - 1] + 1, last[j - 1] + (x != y)));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[b_length];
}

/* Words that other programs and everyday language have for what scenes call otherwise: each line is
 * a word of ours behind those that mean it. */
static const char *const meanings[][2] = {
    {"box", "cube|cuboid|brick|rectangle|rect|square"},
    {"sphere", "ball|globe|point"},
    {"cylinder", "tube|pipe|rod|disc|disk"},
    {"plane", "ground|floor|halfspace|half-space|wall"},
    {"funnel", "hopper"},
    {"mesh", "file|obj|stl|model|trimesh"},
    {"fixed", "static|none|rigid|still|no|immovable|anchored"},
    {"keys", "kinematic|animated|keyframes|keyframed|scripted|moving|path|animation"},
    {"dynamic", "free|movable|active|yes|simulated|rigid"},
    {"low", "min|minimum|lower|from|mins|start"},
    {"high", "max|maximum|upper|to|maxs|end"},
    {"position", "pos|center|centre|origin|location|translate|translation|place|xyz|at|corner"},
    {"rotation", "orientation|rotate|euler|angles|turn|rot"},
    {"size", "dimensions|extents|extent|edges|lengths|scale|width"},
    {"radius", "r|diameter"},
    {"height", "h|length|depth"},
    {"velocity", "vel|v|speed|initial_velocity"},
    {"speed", "velocity|v"},
    {"spin", "omega|angular_velocity|rotation_rate|w"},
    {"density", "rho|bulk_density"},
    {"grain_density", "rho_s|particle_density|solid_density"},
    {"mass", "m|weight"},
    {"angle", "angle_of_repose|repose|friction_angle|phi|internal_friction"},
    {"dynamic_angle", "mu_2|mu2|dynamic_friction|dynamic_friction_angle|limiting_angle"},
    {"inertial_number", "I0|I_0|inertia_number|inertial"},
    {"grain_diameter", "grain_size|particle_diameter|d_s|diameter"},
    {"friction", "mu|friction_coefficient|coefficient"},
    {"restitution", "e|bounce|bounciness|elasticity|cor"},
    {"rolling_friction", "rolling_resistance|mu_r|rolling"},
    {"young", "E|youngs_modulus|young_modulus|stiffness|modulus|elastic_modulus"},
    {"poisson", "nu|poissons_ratio|poisson_ratio"},
    {"cohesion", "c|stickiness|tensile_strength"},
    {"colour", "color|tint|rgb"},
    {"spacing", "diameter|grain_size|particle_size|resolution|size|d|dx|h|radius"},
    {"step", "dt|timestep|time_step|delta_t"},
    {"max_step", "dt_max|max_dt"},
    {"duration", "end|stop|length|total|t_end|end_time|time|until"},
    {"frame_rate", "fps|frames_per_second|rate|output_interval|frames"},
    {"start", "begin|from"},
    {"stop", "end|until"},
    {"direction", "dir|normal|axis"},
    {"rate", "flow|flux|mass_flow|flow_rate"},
    {"bodies", "objects|obstacles|rigid_bodies|solids|rigids|colliders"},
    {"sources", "fluid|blocks|sand|fill|volumes|initial"},
    {"emitters", "inflow|inflows|nozzles|streams|inlets|inlet"},
    {"domain", "bounds|box|container|world|boundary|boundaries|walls|region"},
    {"particles", "particle"},
    {"time", "simulation|sim|run"},
    {"materials", "material"},
    {"solver", "method|engine|physics"},
    {"cameras", "camera|view|views"},
    {"joints", "constraints|hinges|joint"},
    {"frictional", "sph|granular"},
    {"dem", "discrete|discrete-elements|discrete_elements|single"},
    {"grey", "gray|silver"},
    {"sand", "beige|tan|yellowish"},
    {"hinge", "revolute|pivot"},
    {"slider", "prismatic|rail"},
    {"ball", "spherical|socket"},
    {"draft", "low|fast|preview"},
    {"final", "high|best|production"},
    {"good", "medium|normal|default"},
};

/* Whether `word` is known to mean the candidate. */
static bool is_meant(const char *word, const char *candidate, size_t length)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strlen(meanings[i][0]) == length && memcmp(meanings[i][0], candidate, length) == 0)
            return rp_words_find(meanings[i][1], word) >= 0;
    return false;
}

rp_nearest rp_nearest_to(const char *wrong)
{
    int length = (int)strnlen(wrong, LENGTH_MAX + 1);
    /* more edits than this and it is a different word */
    return (rp_nearest){.wrong = wrong, .edits = length / 3 + 2};
}

void rp_nearest_try(rp_nearest *nearest, const char *candidate, size_t length)
{
    size_t wrong_length = strnlen(nearest->wrong, LENGTH_MAX + 1);
    if (length > LENGTH_MAX || wrong_length > LENGTH_MAX || !length || !wrong_length) return;
    int edits = edits_between(nearest->wrong, (int)wrong_length, candidate, (int)length);
    /* A slip of the finger is likelier than another word for it, and that than a resemblance. */
    bool meant = edits > 1 && is_meant(nearest->wrong, candidate, length);
    if (meant) edits = 1;
    /* not when hardly a letter stays */
    bool alike = meant || (size_t)edits < (length > wrong_length ? length : wrong_length);
    if (edits >= nearest->edits || !alike) return;
    nearest->edits = edits;
    nearest->found = true;
    snprintf(nearest->best, sizeof nearest->best, "%.*s", (int)length, candidate);
}

void rp_nearest_try_words(rp_nearest *nearest, const char *words)
{
    while (*words) {
        size_t length = strcspn(words, "|");
        rp_nearest_try(nearest, words, length);
        words += length + (words[length] == '|');
    }
}

bool rp_word_suggest(const char *word, const char *const *known, int count, char *text, size_t size)
{
    if (text && size) text[0] = 0;
    if (!word || !known || !text) return false;
    rp_nearest nearest = rp_nearest_to(word);
    for (int i = 0; i < count; i++)
        if (known[i]) rp_nearest_try(&nearest, known[i], strlen(known[i]));
    if (nearest.found) snprintf(text, size, "%s", nearest.best);
    return nearest.found;
}

void rp_nearest_hint(const rp_nearest *nearest, char *text, size_t size)
{
    text[0] = 0;
    if (nearest->found) snprintf(text, size, "; did you mean '%s'?", nearest->best);
}
